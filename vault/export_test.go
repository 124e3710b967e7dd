package vault

import (
	"encoding/binary"
	"testing"
)

// SealedFormat is a format record of another schema.
func SealedFormat(t *testing.T, schema uint32, app string) []byte {
	t.Helper()
	b := binary.BigEndian.AppendUint32(nil, schema)
	b = append(binary.BigEndian.AppendUint32(b, 1), app...)
	env, err := seal(kindMeta, metaKey("format"), b)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// SealedVersion is a format record in an envelope of another version.
func SealedVersion(t *testing.T, version byte) []byte {
	t.Helper()
	env := SealedFormat(t, schemaVersion, "")
	env[4] = version
	sum := envSum(env)
	copy(env[envHead:], sum[:])
	return env
}
