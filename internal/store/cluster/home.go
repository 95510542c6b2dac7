package cluster

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// home is the folder that holds everything of one cluster.
type home struct {
	dataDir string // of vitrine, absolute
	path    string // <data dir>/pg, or the relocated path
}

const (
	systemPlace  = "/var/lib/vitrine"
	locationFile = "pg.location"
	identityFile = "pg.id" // distinguishes a data dir from an earlier one at the same path
)

func (h home) data() string     { return filepath.Join(h.path, "data") }
func (h home) password() string { return filepath.Join(h.path, "password") }
func (h home) moved() bool      { return h.path != filepath.Join(h.dataDir, "pg") }

// hash identifies the home in folders that it shares with others.
func (h home) hash() string {
	sum := sha256.Sum256([]byte(h.dataDir))
	return hex.EncodeToString(sum[:8])
}

// locate finds the home of the data dir, or chooses and creates one. An existing cluster
// stays where it is: pg.location is checked first, then the data dir; only for a new one it
// looks for a place that the account can enter.
func locate(cfg Config, as account, installed []binaries) (home, error) {
	h, err := dataDirOf(cfg)
	if err != nil {
		return home{}, err
	}
	moved, err := readLine(filepath.Join(h.dataDir, locationFile))
	if err == nil {
		h.path = moved
		if _, err := os.Stat(filepath.Join(h.data(), "PG_VERSION")); err != nil {
			return home{}, fmt.Errorf(
				"%s locates the database in %q, but it is not there: bring that folder back, or remove the file to begin with an empty database: %w",
				filepath.Join(h.dataDir, locationFile), moved, err,
			)
		}
		return h, as.makeHome(h.path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return home{}, err
	}
	if _, err := os.Lstat(h.data()); err != nil && as.drop && len(installed) > 0 && !as.canEnter(h.dataDir, installed[0]) {
		return h.elsewhere(cfg.Elsewhere, as, installed[0])
	}
	return h, as.makeHome(h.path)
}

// dataDirOf creates the data dir and returns its home before any relocation.
func dataDirOf(cfg Config) (home, error) {
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return home{}, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return home{}, fmt.Errorf("the data dir %s cannot be made: %w", dir, err)
	}
	// The folder needs one name, however it was reached: the hash depends on it.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return home{}, fmt.Errorf("the data dir: %w", err)
	}
	return home{dataDir: dir, path: filepath.Join(dir, "pg")}, nil
}

// elsewhere creates the home in the first folder that the account can enter.
func (h home) elsewhere(base string, as account, server binaries) (home, error) {
	bases := []string{systemPlace, filepath.Join(os.TempDir(), "vitrine")}
	if base != "" {
		bases = []string{base}
	}
	id, err := h.identity()
	if err != nil {
		return home{}, err
	}
	var failures []error
	for _, base := range bases {
		parent := filepath.Join(base, h.hash()+"-"+id)
		err := errors.Join(os.MkdirAll(base, 0o755), as.makeDir(base, 0o755), as.makeDir(parent, 0o755))
		if err == nil && !as.canEnter(parent, server) {
			err = fmt.Errorf("%s cannot be entered either", parent)
		}
		if err == nil {
			parent, err = filepath.EvalSymlinks(parent)
		}
		if err == nil {
			h.path = filepath.Join(parent, "pg")
			return h, as.makeHome(h.path)
		}
		failures = append(failures, err)
	}
	return home{}, fmt.Errorf(
		"the user %s, who runs the server, cannot enter %s, and there is no other place for the database: %w", as.name,
		h.dataDir, errors.Join(failures...),
	)
}

// identity returns the random id of this data dir, created on first use. A data dir that
// was removed and created again gets a new id: the database of the old one, whose files are
// gone, is neither used nor touched.
func (h home) identity() (string, error) {
	path := filepath.Join(h.dataDir, identityFile)
	for {
		id, err := readLine(path)
		if err == nil && (len(id) != 16 || strings.Trim(id, "0123456789abcdef") != "") {
			return "", fmt.Errorf("%s holds %q, which is no identity", path, id)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return id, err
		}
		var random [8]byte
		if _, err := rand.Read(random[:]); err != nil {
			return "", err
		}
		if err := createOnce(path, hex.EncodeToString(random[:])+"\n"); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
}

// createOnce writes a small file so that it appears complete and only once: the second of two
// writers gets fs.ErrExist.
func createOnce(path, text string) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Link(file.Name(), path)
	}
	return errors.Join(err, os.Remove(file.Name()))
}

// makeHome creates dir as a home. It belongs to vitrine's user, not to the server's, so that
// root never writes into a folder that somebody else controls.
func (a account) makeHome(dir string) error {
	if a.drop {
		return a.makeDir(dir, 0o711)
	}
	return a.makeDir(dir, 0o700)
}

// makeDir creates dir with the mode, and refuses one that is not a folder or belongs to
// another user than the one that vitrine runs as.
func (a account) makeDir(dir string, mode os.FileMode) error {
	made := os.Mkdir(dir, mode)
	info, err := os.Lstat(dir)
	switch {
	case err != nil && made != nil:
		return fmt.Errorf("%s cannot be made: %w", dir, made)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is in the way: it is no folder", dir)
	}
	if uid, _ := owner(info); uid != os.Geteuid() {
		return fmt.Errorf(
			"%s belongs to %s, and vitrine runs as %s: run it as that user, or chown the folder", dir, userName(uid),
			userName(os.Geteuid()),
		)
	}
	if made != nil {
		return nil
	}
	return os.Chmod(dir, mode) // the umask may have cleared bits
}

// version returns the major version in PG_VERSION of the data directory; 0 when there is no
// cluster yet. A folder with other contents is refused.
func (h home) version() (int, error) {
	text, err := readLine(filepath.Join(h.data(), "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(h.data())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, fmt.Errorf("%s: %w", h.data(), err)
		}
		if len(entries) > 0 {
			return 0, fmt.Errorf("%s holds files but no PG_VERSION, so it is no database that can be started: move it away, or restore it", h.data())
		}
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	version, err := strconv.Atoi(text)
	if err != nil || version < 1 {
		return 0, fmt.Errorf(
			"%s holds %q, which is no version of PostgreSQL 10 or newer; nothing was changed",
			filepath.Join(h.data(), "PG_VERSION"), text,
		)
	}
	return version, nil
}

// readLine reads the one line of a small file.
func readLine(path string) (string, error) {
	text, err := readSmall(path)
	return strings.TrimSuffix(text, "\n"), err
}

// readSmall reads at most 4 KiB.
func readSmall(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(file, 4096))
	return string(text), errors.Join(err, file.Close())
}

// Exists reports whether a data dir has a private cluster, relocated or not. It creates
// nothing. A file that cannot be checked is assumed to exist.
func Exists(dataDir string) bool {
	for _, file := range []string{locationFile, filepath.Join("pg", "data", "PG_VERSION")} {
		if _, err := os.Stat(filepath.Join(dataDir, file)); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}
