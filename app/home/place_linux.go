package home

import (
	"os"
	"strings"
)

// network gives the kind of network file system that holds dir.
func network(dir string) string {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	return networkKind(kindOf(string(table), dir))
}

// kindOf finds dir's file system in the system's list of mounts: the last of those
// whose place is the longest beginning of dir.
func kindOf(table, dir string) (kind string) {
	best := -1
	for line := range strings.Lines(table) {
		// id parent device root place options … - kind source options
		before, after, ok := strings.Cut(line, " - ")
		fields, more := strings.Fields(before), strings.Fields(after)
		if !ok || len(fields) < 5 || len(more) < 1 {
			continue
		}
		place := unescape.Replace(fields[4])
		if under(dir, place) && len(place) >= best {
			best, kind = len(place), more[0]
		}
	}
	return kind
}

// unescape undoes how the list writes characters that separate its fields.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func under(dir, place string) bool {
	return dir == place || place == "/" || strings.HasPrefix(dir, place+"/")
}

// networkKind gives the kind if its files are on another computer.
func networkKind(kind string) string {
	switch kind {
	case "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "9p", "ncpfs", "lustre", "glusterfs", "gfs2", "ocfs2", "coda", "beegfs", "davfs":
		return kind
	}
	for _, fuse := range []string{"sshfs", "rclone", "s3fs", "gvfsd-fuse", "davfs", "davfs2", "smbnetfs", "curlftpfs", "glusterfs", "gcsfuse", "google-drive-ocamlfuse", "ceph", "mfs", "juicefs", "kio-fuse"} {
		if kind == "fuse."+fuse {
			return kind
		}
	}
	return ""
}
