package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

var isRoot = os.Geteuid() == 0

// closedParent returns a data dir below a folder that only root can enter.
func closedParent(t *testing.T) string {
	t.Helper()
	dir := dataDir(t)
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.Chmod(dir, 0o700))
	return filepath.Join(dir, "shop")
}

func TestBelowAClosedFolderTheClusterIsRelocated(t *testing.T) {
	t.Parallel()
	dir, elsewhere := closedParent(t), dataDir(t)
	c := start(t, Config{Dir: dir, Elsewhere: elsewhere})
	execute(t, c.URL(), "CREATE TABLE kept AS SELECT 'yes' AS it")
	if moved := strings.HasPrefix(c.Dir(), elsewhere+"/"); moved != isRoot { // an ordinary user can enter its own folder
		t.Fatalf("the home is %s", c.Dir())
	}
	if strings.Contains(c.Where(), "not in "+dir) != isRoot {
		t.Errorf("Where: %s", c.Where())
	}
	stop(t, c)

	// Found again, even after the folder has been opened.
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	again := start(t, Config{Dir: dir, Elsewhere: elsewhere})
	if again.Dir() != c.Dir() || query(t, again.URL(), "SELECT it FROM kept") != "yes" {
		t.Fatalf("the home is %s now", again.Dir())
	}
}

func TestARelocatedClusterThatIsGoneIsNotReplacedByAnEmptyOne(t *testing.T) {
	t.Parallel()
	dir, missing := dataDir(t), dataDir(t)
	must(t, os.Mkdir(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, locationFile), []byte(missing+"\n"), 0o600))
	_, err := Start(t.Context(), Config{Dir: dir})
	expectError(t, err, locationFile, missing, "bring that folder back")
}

func TestAnUnrecordedRelocationIsFound(t *testing.T) {
	t.Parallel()
	if !isRoot {
		return // only root relocates
	}
	dir, elsewhere := closedParent(t), dataDir(t)
	c := start(t, Config{Dir: dir, Elsewhere: elsewhere})
	execute(t, c.URL(), "CREATE TABLE kept AS SELECT 'yes' AS it")
	stop(t, c)
	must(t, os.Remove(filepath.Join(dir, locationFile)))
	if got := query(t, start(t, Config{Dir: dir, Elsewhere: elsewhere}).URL(), "SELECT it FROM kept"); got != "yes" {
		t.Fatalf("kept: %q", got)
	}
}

func TestARecreatedDataDirGetsANewDatabase(t *testing.T) {
	t.Parallel()
	if !isRoot {
		return // only root relocates
	}
	dir, elsewhere := closedParent(t), dataDir(t)
	c := start(t, Config{Dir: dir, Elsewhere: elsewhere})
	execute(t, c.URL(), "CREATE TABLE kept AS SELECT 'yes' AS it")
	stop(t, c)
	must(t, os.RemoveAll(dir))
	again := start(t, Config{Dir: dir, Elsewhere: elsewhere})
	if got := query(t, again.URL(), "SELECT count(*)::text FROM pg_tables WHERE tablename = 'kept'"); got != "0" || again.Dir() == c.Dir() {
		t.Errorf("the database of the removed data dir is back, in %s", again.Dir())
	}
	if _, err := os.Stat(filepath.Join(c.Dir(), "data", "PG_VERSION")); err != nil {
		t.Errorf("the old database was touched: %v", err)
	}
}

func TestAnExistingClusterThatCannotBeEnteredAnyMoreIsRefused(t *testing.T) {
	t.Parallel()
	if !isRoot {
		return
	}
	parent := dataDir(t)
	must(t, os.Mkdir(parent, 0o755))
	dir := filepath.Join(parent, "shop")
	stop(t, start(t, Config{Dir: dir}))
	must(t, os.Chmod(parent, 0o700))
	_, err := Start(t.Context(), Config{Dir: dir, Elsewhere: dataDir(t)})
	expectError(t, err, dir, "cannot be entered", "chmod")
}

func TestPathsTooLongForASocketMoveOnlyTheSocket(t *testing.T) {
	t.Parallel()
	for name, folder := range map[string]string{
		"too long":    strings.Repeat("long-", 30),
		"comma":       "a,b",
		"odd letters": `käse & "tee" %2F 'x'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(dataDir(t), folder)
			c := start(t, Config{Dir: dir})
			if c.Dir() != filepath.Join(dir, "pg") {
				t.Fatalf("the home is %s", c.Dir())
			}
			query(t, c.URL(), "SELECT ''")
			again := start(t, Config{Dir: dir})
			if again.URL() != c.URL() {
				t.Errorf("the second user found another server")
			}
			stop(t, again)
			stop(t, c)
			if _, err := os.Lstat(c.socket); filepath.Dir(c.socket) != c.Dir() && !os.IsNotExist(err) {
				t.Errorf("the folder %s stayed: %v", c.socket, err)
			}
		})
	}
}

func TestASocketFolderOfSomebodyElseIsNotUsed(t *testing.T) {
	t.Parallel()
	account, err := serverAccount()
	must(t, err)
	for name, make := range map[string]func(dir string) error{
		"open to others": func(dir string) error {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			if err := os.Chmod(dir, 0o770); err != nil {
				return err
			}
			return account.chown(dir)
		},
		"a link": func(dir string) error { return os.Symlink(t.TempDir(), dir) },
		"a file": func(dir string) error { return os.WriteFile(dir, nil, 0o700) },
		"foreign": func(dir string) error {
			if err := os.Mkdir(dir, 0o700); err != nil || !isRoot {
				return os.Chmod(dir, 0o755)
			}
			return os.Chown(dir, account.uid+1, account.gid)
		},
	} {
		dir := filepath.Join(t.TempDir(), "socket")
		must(t, make(dir))
		if err := account.closedDir(dir); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ours := filepath.Join(t.TempDir(), "socket")
	must(t, account.closedDir(ours))
	must(t, account.closedDir(ours))
}

func TestRootRunsTheServerAsTheOwnerOfItsFiles(t *testing.T) {
	t.Parallel()
	if !isRoot {
		return
	}
	dir := stoppedCluster(t)
	c := start(t, Config{Dir: dir})
	execute(t, c.URL(), "CREATE TABLE kept AS SELECT 'yes' AS it")
	stop(t, c)
	const uid = 54321 // as after a move from a machine with other uids
	for _, top := range []string{c.home.data(), filepath.Join(c.home.path, "run")} {
		must(t, filepath.Walk(top, func(path string, _ os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, uid, uid)
		}))
	}
	again := start(t, Config{Dir: dir})
	if got := query(t, again.URL(), "SELECT it FROM kept"); got != "yes" {
		t.Fatalf("kept: %q", got)
	}
	info, err := os.Stat(again.home.pidPath())
	must(t, err)
	if got := info.Sys().(*syscall.Stat_t).Uid; got != uid {
		t.Errorf("the server runs as %d", got)
	}
}
