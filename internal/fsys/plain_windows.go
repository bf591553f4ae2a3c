package fsys

const nonblocking = 0
