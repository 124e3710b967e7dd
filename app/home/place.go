package home

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Place is what could be found out about where a folder stands.
type Place struct {
	Network     string // the kind of network file system, "" for none known
	Synced      string // the service that copies the folder elsewhere, "" for none known
	Insensitive bool   // names that differ in capitals only are the same file
}

// Look finds out where a folder stands, as far as the system tells. A folder that is
// not there yet is judged by the one that it will be made in.
func Look(dir string) Place {
	at := existing(dir)
	return Place{Network: network(at), Synced: synced(at, markers), Insensitive: insensitive(at)}
}

// Warnings are sentences on what makes a place unsafe for records.
func (p Place) Warnings() []string {
	var out []string
	if p.Network != "" {
		out = append(out, fmt.Sprintf("Cairn's records stand on a network drive (%s). What is shown as saved may not be after a power cut, and two computers may open them at once. Choose a folder on this computer with --home.", p.Network))
	}
	if p.Synced != "" {
		out = append(out, fmt.Sprintf("Cairn's records stand in a folder that %s copies to other places. It can put older files in the place of newer ones while Cairn writes, and it sends everything away. Choose another folder with --home, and have it copy backups instead (cairn vault backup --to FOLDER).", p.Synced))
	}
	return out
}

// existing is the nearest folder above dir that there is, with links followed.
func existing(dir string) string {
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return real
		}
		up := filepath.Dir(dir)
		if up == dir {
			return dir
		}
		dir = up
	}
}

// marker is how a synchronising service is known: by the name of a folder on the
// way down, or by a file that it keeps in its topmost folder.
type marker struct {
	service string
	folders []string // whole names, lower case
	begins  []string // beginnings of names, lower case
	files   []string
}

var markers = []marker{
	{"Dropbox", []string{"dropbox"}, []string{"dropbox ("}, []string{".dropbox", ".dropbox.cache"}},
	{"OneDrive", []string{"onedrive"}, []string{"onedrive - "}, []string{".849C9593-D756-4E56-8D6E-42412F2A707B"}},
	{"iCloud", []string{"com~apple~clouddocs", "mobile documents", "iclouddrive"}, nil, nil},
	{"Google Drive", []string{"google drive", "googledrive", "my drive"}, []string{"googledrive-"}, []string{".tmp.drivedownload", ".tmp.driveupload"}},
	{"Nextcloud", []string{"nextcloud"}, nil, []string{".nextcloudsync.log", ".owncloudsync.log"}},
	{"Syncthing", nil, nil, []string{".stfolder"}},
	{"pCloud", []string{"pclouddrive", "pcloud drive"}, nil, nil},
	{"Box", []string{"box sync", "box-box"}, nil, nil},
}

func synced(dir string, known []marker) string {
	for at := dir; ; at = filepath.Dir(at) {
		name := strings.ToLower(filepath.Base(at))
		for _, m := range known {
			if m.is(at, name) {
				return m.service
			}
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

func (m marker) is(path, name string) bool {
	for _, f := range m.folders {
		if name == f {
			return true
		}
	}
	for _, b := range m.begins {
		if strings.HasPrefix(name, b) {
			return true
		}
	}
	for _, f := range m.files {
		if _, err := os.Lstat(filepath.Join(path, f)); err == nil {
			return true
		}
	}
	return false
}

// insensitive tells by a name that is there: the folder's own, with the other
// capitals, in the folder above it.
func insensitive(dir string) bool {
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		name := filepath.Base(at)
		other := swapCase(name)
		if other == name {
			continue
		}
		a, err := os.Stat(at)
		if err != nil {
			return false
		}
		b, err := os.Stat(filepath.Join(filepath.Dir(at), other))
		return err == nil && os.SameFile(a, b)
	}
	return false
}

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return r
	}, s)
}
