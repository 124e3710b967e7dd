//go:build lab

package vault

import "os"

// planted reads which fault a laboratory wants.
func planted(f fault) bool { return os.Getenv(PlantedEnv) == string(f) }
