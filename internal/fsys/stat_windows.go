package fsys

import "syscall"

func sysStat(sys any, id *ID) {
	if st, ok := sys.(*syscall.Win32FileAttributeData); ok {
		id.CTime = st.CreationTime.Nanoseconds()
	}
}
