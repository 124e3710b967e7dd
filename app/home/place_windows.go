package home

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// network tells a drive of another computer.
func network(dir string) string {
	root, err := windows.UTF16PtrFromString(filepath.VolumeName(dir) + `\`)
	if err != nil || windows.GetDriveType(root) != windows.DRIVE_REMOTE {
		return ""
	}
	return "a drive of another computer"
}
