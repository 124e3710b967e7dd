package home

import "testing"

func TestKindOf(t *testing.T) {
	const table = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:25 / /home/me/far rw - nfs4 server:/export rw
31 22 0:26 / /mnt/two\040words rw,nosuid shared:7 master:2 - fuse.sshfs me@host:/ rw
32 22 0:27 / /mnt/over rw - cifs //server/share rw
33 22 0:28 / /mnt/over rw - tmpfs tmpfs rw
34 22 0:29 / /home/me/near rw - fuse.gocryptfs /x rw
broken line
`
	for dir, want := range map[string]string{
		"/home/me":                 "",
		"/home/me/far":             "nfs4",
		"/home/me/far/cairn":       "nfs4",
		"/home/me/farther":         "",
		"/mnt/two words/x":         "fuse.sshfs",
		"/mnt/over/x":              "",
		"/home/me/near/cairn/home": "",
	} {
		if got := networkKind(kindOf(table, dir)); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
}
