package vault

import (
	"os"
	"path/filepath"
)

// Home names every place in Cairn's folder (CAIRN_HOME). No other file joins
// paths of it. Folders are 0700 and files 0600:
//
//	lock                 held by the one process that owns the folder
//	socket               the owner's socket, for command line and MCP
//	format               the store's format, beside what its manifest says
//	clean                written at a good end, removed at opening
//	starts               how often Cairn was started since the last good end
//	sync-failed          a sync failed in the last process: copy before writing
//	repair               a stored record failed its check: rebuild at the next start
//	compare              a journal was found to differ: compare whole at the next start
//	rebuilding           names the store in aside/ from which a new one is being built
//	deleting             a deletion that is under way, finished at the next start
//	vault/               the Badger store (Badger's own files)
//	vault.new/ vault.old/  while the store is written anew
//	journal/<branch>.jsonl a branch's own lines, LF-ended
//	draft/<branch>       text of the running call, unsynced
//	local/<name>         copies of small local records, for when the store is lost
//	aside/               what was moved out of the way, never read by Cairn again
//	                     except to look for texts that are still whole
//	runtime/ models/     of the bundled model runtime
type Home string

// DefaultHome is CAIRN_HOME, or the folder that the system has for application
// data. It does not create anything.
func DefaultHome() (Home, error) {
	if dir := os.Getenv("CAIRN_HOME"); dir != "" {
		return Home(dir), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return Home(filepath.Join(dir, "cairn")), nil
}

func (h Home) join(name ...string) string {
	return filepath.Join(append([]string{string(h)}, name...)...)
}

// Lock is the file whose lock makes a process the owner.
func (h Home) Lock() string { return h.join("lock") }

// Socket is the owner's Unix-domain socket.
func (h Home) Socket() string { return h.join("socket") }

// Runtime is the folder of the bundled model runtime.
func (h Home) Runtime() string { return h.join("runtime") }

// Models is the models folder of the bundled runtime.
func (h Home) Models() string { return h.join("models") }

// Vault is the folder of the Badger store.
func (h Home) Vault() string { return h.join("vault") }

// Journals is the folder of the journals.
func (h Home) Journals() string { return h.join("journal") }

// Journal is the file with the own lines of a branch.
func (h Home) Journal(branch string) string { return h.join("journal", branch+journalExt) }

// Aside is where things go that are moved out of the way.
func (h Home) Aside() string { return h.join("aside") }

func (h Home) locals() string             { return h.join("local") }
func (h Home) drafts() string             { return h.join("draft") }
func (h Home) draft(branch string) string { return h.join("draft", branch) }
func (h Home) format() string             { return h.join("format") }
func (h Home) clean() string              { return h.join("clean") }
func (h Home) starts() string             { return h.join("starts") }
func (h Home) syncFailed() string         { return h.join("sync-failed") }
func (h Home) repair() string             { return h.join("repair") }
func (h Home) compare() string            { return h.join("compare") }
func (h Home) rebuilding() string         { return h.join("rebuilding") }
func (h Home) deleting() string           { return h.join("deleting") }
func (h Home) vaultNew() string           { return h.join("vault.new") }
func (h Home) vaultOld() string           { return h.join("vault.old") }
func (h Home) probe() string              { return h.join("vault.try") }

const journalExt = ".jsonl"
