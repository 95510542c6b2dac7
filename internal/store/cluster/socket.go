package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const port = "5432" // names the socket file; no TCP port is opened

// longestSocket is the longest socket path allowed: the BSDs and macOS accept 103 bytes,
// Linux a little more.
const longestSocket = 103

// socketDir creates the folder for the socket: run in the home or, when that path is too
// long for the kernel or contains a comma, at which pgx splits hosts, a short one below the
// folder for temporary files.
func (h home) socketDir(as account) (string, error) {
	var failures []error
	for _, dir := range []string{
		filepath.Join(h.path, "run"),
		filepath.Join(os.TempDir(), "vitrine-"+h.hash()),
		"/tmp/vitrine-" + h.hash(),
	} {
		if len(dir)+len("/.s.PGSQL."+port+".lock") > longestSocket || strings.Contains(dir, ",") {
			continue
		}
		err := as.closedDir(dir)
		if err == nil {
			return dir, nil
		}
		failures = append(failures, err)
	}
	return "", fmt.Errorf("no folder for the server's socket: %w", errors.Join(failures...))
}

// closedDir creates dir as a folder of the account that nobody else can enter. An existing
// one must be exactly that: in /tmp somebody else may have created it first to impersonate
// the server.
func (a account) closedDir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		return a.chown(dir)
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	uid, _ := owner(info)
	if a.drop && uid == os.Geteuid() && info.IsDir() { // a previous process was killed before it changed the owner
		if err := a.chown(dir); err != nil {
			return err
		}
		uid = a.uid
	}
	if !info.IsDir() || uid != a.uid || info.Mode().Perm() != 0o700 {
		return fmt.Errorf(
			"%s is in the way: it must be a folder of the user %s with mode 0700 (it is %s, of %s)", dir, a.name, info.Mode(),
			userName(uid),
		)
	}
	return nil
}

// quoteList formats a path as a one-element list setting of PostgreSQL.
func quoteList(path string) string {
	return `"` + strings.ReplaceAll(path, `"`, `""`) + `"`
}
