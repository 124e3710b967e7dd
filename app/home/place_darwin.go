package home

import "golang.org/x/sys/unix"

// network gives the kind of network file system that holds dir.
func network(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil || st.Flags&unix.MNT_LOCAL != 0 {
		return ""
	}
	return unix.ByteSliceToString(st.Fstypename[:])
}
