package fsys

import "syscall"

func sysStat(sys any, id *ID) {
	st, ok := sys.(*syscall.Stat_t)
	if !ok {
		return
	}
	id.CTime = st.Ctim.Nano()
	id.Dev, id.Ino = uint32(st.Dev), uint32(st.Ino)
	id.UID, id.GID = st.Uid, st.Gid
}
