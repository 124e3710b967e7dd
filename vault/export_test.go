package vault

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
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

// RestoreSteps gives copies of a home as a crash would leave it at each step of a
// restore that sets the records aside.
func RestoreSteps(t *testing.T, home Home, backup string) []Home {
	t.Helper()
	var out []Home
	fresh := func() Home {
		to := Home(filepath.Join(t.TempDir(), "home"))
		if err := os.CopyFS(string(to), os.DirFS(string(home))); err != nil {
			t.Fatal(err)
		}
		out = append(out, to)
		return to
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(unpack(t.Context(), fresh(), backup, nil))
	for _, moved := range []int{0, 1, 2} {
		to := fresh()
		check(unpack(t.Context(), to, backup, nil))
		check(writeFile(to.restoring(), []byte("home-1\n")))
		check(os.MkdirAll(filepath.Join(to.Aside(), "home-1"), 0o700))
		for _, r := range to.records()[:moved] {
			if exists(to.join(r)) {
				check(os.Rename(to.join(r), filepath.Join(to.Aside(), "home-1", r)))
			}
		}
	}
	to := fresh()
	check(unpack(t.Context(), to, backup, nil))
	check(writeFile(to.restoring(), []byte("home-1\n")))
	check(os.MkdirAll(filepath.Join(to.Aside(), "home-1"), 0o700))
	for _, r := range to.records() {
		if exists(to.join(r)) {
			check(os.Rename(to.join(r), filepath.Join(to.Aside(), "home-1", r)))
		}
	}
	check(os.Rename(to.vaultRestore(), to.Vault()))
	return out
}

// Payloads finds every envelope in bytes, old versions of records too, and calls fn
// with its key and its payload as it was before compression.
func Payloads(body []byte, fn func(key, payload []byte)) {
	for {
		i := bytes.Index(body, []byte(envMagic))
		if i < 0 {
			return
		}
		body = body[i:]
		_, key, payload, length, err := readEnvelope(body)
		if err != nil {
			body = body[1:]
			continue
		}
		fn(key, payload)
		body = body[length:]
	}
}
