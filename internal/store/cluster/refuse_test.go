package cluster

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func expectError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; it should say %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}

// fingerprint is a hash over every name, mode, owner and byte below dir.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		uid, gid := owner(info)
		fmt.Fprintln(sum, path, info.Mode(), uid, gid, info.ModTime())
		if !info.Mode().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		sum.Write(content)
		return err
	}))
	return fmt.Sprintf("%x", sum.Sum(nil))
}

func TestAClusterOfAnotherMajorVersionIsRefusedAndUntouched(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	c := start(t, Config{Dir: dir})
	stop(t, c)
	version := filepath.Join(c.home.data(), "PG_VERSION")
	for content, parts := range map[string][]string{
		"13\n":     {"PostgreSQL 13", fmt.Sprintf("%d (%s)", c.server.major, c.server.dir), "postgresql-13", "pg_upgrade"},
		"999\n":    {"PostgreSQL 999", "postgresql-999"},
		"9.6\n":    {"9.6", "nothing was changed"},
		"":         {"PG_VERSION"},
		"fifteen":  {"fifteen"},
		"-15\n":    {"-15"},
		"15\n15\n": {"15\\n15"},
	} {
		must(t, os.WriteFile(version, []byte(content), 0o600))
		before := fingerprint(t, c.home.data())
		_, err := Start(t.Context(), Config{Dir: dir})
		expectError(t, err, parts...)
		if fingerprint(t, c.home.data()) != before {
			t.Errorf("PG_VERSION %q: the data directory was changed", content)
		}
	}
}

func TestADataDirectoryThatIsNoClusterIsRefusedAndUntouched(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	data := filepath.Join(dir, "pg", "data")
	must(t, os.MkdirAll(data, 0o700))
	must(t, os.WriteFile(filepath.Join(data, "precious"), []byte("all of it"), 0o600))
	before := fingerprint(t, data)
	_, err := Start(t.Context(), Config{Dir: dir})
	expectError(t, err, data, "no PG_VERSION")
	if fingerprint(t, data) != before {
		t.Error("the folder was changed")
	}
}

func TestWithoutServerBinariesTheErrorNamesThePackage(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	_, err := Start(t.Context(), Config{Dir: dir, Binaries: []string{t.TempDir(), "/nonexistent"}})
	expectError(t, err, "apt-get install postgresql", "installed: none", "VITRINE_DATABASE_URL")

	_, err = Start(t.Context(), Config{Dir: stoppedCluster(t), Binaries: []string{t.TempDir()}})
	expectError(t, err, "installed: none", "postgresql-")
}

func TestNewClustersUseTheNewestServerAndOldOnesTheirVersion(t *testing.T) {
	installed := []binaries{{"/17", 17}, {"/16", 16}, {"/15", 15}, {"/13", 13}}
	for version, want := range map[int]string{0: "/17", 16: "/16", 15: "/15", 13: "/13"} {
		got, err := choose(installed, version, "/data")
		must(t, err)
		if got.dir != want {
			t.Errorf("version %d runs on %s, want %s", version, got.dir, want)
		}
	}
	_, err := choose(installed[3:], 0, "/data")
	expectError(t, err, "15 or newer", "13 (/13)")
}

func TestHostileDataDirs(t *testing.T) {
	t.Parallel()
	try := func(name, dir string, parts ...string) {
		t.Helper()
		_, err := Start(t.Context(), Config{Dir: dir})
		if err == nil {
			t.Fatalf("%s: started", name)
		}
		expectError(t, err, parts...)
	}
	try("none", "", "no usable path")
	try("line break", "/tmp/a\nb", "no usable path")

	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	try("a file", file, file, "cannot be made")
	try("below a file", filepath.Join(file, "var"), file, "cannot be made")

	base := dataDir(t)
	must(t, os.Mkdir(base, 0o755))
	must(t, os.WriteFile(filepath.Join(base, "pg"), nil, 0o600))
	try("pg is a file", base, filepath.Join(base, "pg"), "no folder")

	try("read-only", "/proc/vitrine", "/proc/vitrine", "cannot be made")

	locked := dataDir(t)
	must(t, os.Mkdir(locked, 0o555))
	if !isRoot { // root can write anywhere
		try("closed", locked, filepath.Join(locked, "pg"), "permission denied")
		return
	}
	must(t, os.Mkdir(filepath.Join(locked, "pg"), 0o700))
	must(t, os.Chown(filepath.Join(locked, "pg"), 54321, 54321))
	try("foreign home", locked, filepath.Join(locked, "pg"), "belongs to user 54321", "chown")

	rooted := stoppedCluster(t)
	c := start(t, Config{Dir: rooted})
	stop(t, c)
	must(t, os.Chown(c.home.data(), 0, 0))
	try("data of root", rooted, c.home.data(), "belongs to root", "chown -R")
}

func TestALostOrWrongPasswordIsReportedAndTheServerStopped(t *testing.T) {
	t.Parallel()
	dir := stoppedCluster(t)
	c := start(t, Config{Dir: dir})
	stop(t, c)
	must(t, os.WriteFile(c.home.password(), []byte("guess\n"), 0o600))
	_, err := Start(t.Context(), Config{Dir: dir})
	expectError(t, err, "refuses vitrine", "password")
	expectRunning(t, c, false)
	must(t, os.Remove(c.home.password()))
	_, err = Start(t.Context(), Config{Dir: dir})
	expectError(t, err, "password", c.home.password())
	expectRunning(t, c, false)
}
