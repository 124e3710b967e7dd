package vault

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"cairn/engine"
)

// fileError gives an error of the operating system the kind that the window
// can explain. doing says what was being done: "write the journal".
func fileError(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return diskFull(fmt.Errorf("%s: %w", doing, err))
	case errors.Is(err, fs.ErrPermission):
		return &engine.Error{
			Kind: engine.KindInternal,
			What: "Cairn may not " + doing + ".",
			Safe: "Everything saved before is still saved.",
			Do:   "Check who owns Cairn's folder and its permissions.",
			Err:  fmt.Errorf("%s: %w", doing, err),
		}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func diskFull(err error) error {
	if planted(faultFullIsError) {
		return err
	}
	return &engine.Error{
		Kind: engine.KindDiskFull,
		What: "The disk is almost full, so nothing more is written.",
		Safe: "Everything shown as saved is saved.",
		Do:   "Free some space; then the task can continue.",
		Err:  err,
	}
}

func readOnly(err error) error {
	return &engine.Error{
		Kind: engine.KindReadOnly,
		What: "The disk reported an error while saving, so Cairn stopped writing.",
		Safe: "Everything shown as saved is saved. What was being written may be missing.",
		Do:   "Check the disk, then start Cairn again: it copies what is saved to new files first.",
		Err:  err,
	}
}

// diskFault tells an error of the disk or of the system from one that damaged bytes
// give: a store that could not be read for it is not damaged, and is not set aside.
func diskFault(err error) bool {
	for _, e := range []syscall.Errno{
		syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.ENXIO, syscall.ENODEV,
		syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ETIMEDOUT,
	} {
		if says(err, e) {
			return true
		}
	}
	return false
}

// says reports whether an error comes from one of the system. Badger keeps only the
// words of the errors that it passes on.
func says(err error, e syscall.Errno) bool {
	return errors.Is(err, e) || strings.Contains(err.Error(), e.Error())
}

// unreadable is the error of a store that the disk does not give.
func unreadable(err error) error {
	if says(err, syscall.ENOSPC) || says(err, syscall.EDQUOT) {
		return diskFull(err)
	}
	return &engine.Error{
		Kind: engine.KindReadOnly,
		What: "The disk reported an error while Cairn's records were opened.",
		Safe: "Nothing was changed. Everything saved is where it was.",
		Do:   "Start Cairn again. If that does not help, check the disk, and go on with a copy of the folder.",
		Err:  err,
	}
}

func damaged(what string, err error) error {
	return &engine.Error{
		Kind: engine.KindDamaged,
		What: what,
		Safe: "Other records are not touched.",
		Do:   "Start Cairn again: it rebuilds its store from the journals.",
		Err:  err,
	}
}

func usage(err error) error {
	return &engine.Error{Kind: engine.KindUsage, What: "These lines can't be saved here.", Safe: "Nothing was written.", Err: err}
}

func notFound(what string) error {
	return &engine.Error{Kind: engine.KindNotFound, What: "There is no " + what + "."}
}

func cancelled(err error) error {
	return &engine.Error{Kind: engine.KindCancelled, What: "Stopped before it was done.", Err: err}
}

var errClosed = &engine.Error{Kind: engine.KindUsage, What: "The vault is closed."}

// alive gives the error of a context that has ended.
func alive(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return cancelled(err)
	}
	return nil
}
