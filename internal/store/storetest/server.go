package storetest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store/cluster"
)

// lingerTime is how long the server outlives its last test process.
const lingerTime = 10 * time.Second

// server is this process's handle on the shared server. The process keeps it until its end,
// and never stops the server.
type server struct {
	cluster *cluster.Cluster // kept referenced: garbage collection would release its lock
	url     url.URL
	dir     string         // of the server's files and of tests' blobs
	idle    chan *pgx.Conn // connections to the maintenance database, in which databases are created and dropped and the advisory lock is taken
}

// sharedServer starts or finds the server on the first call in a process.
var sharedServer = sync.OnceValues(func() (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), stepTimeout)
	defer cancel()
	dir, err := sharedDir(base())
	if err != nil {
		return nil, fmt.Errorf("test database: %w", err)
	}
	c, err := cluster.Start(ctx, cluster.Config{Dir: dir, Throwaway: true})
	if err != nil {
		return nil, fmt.Errorf("test database (nothing in %s is worth keeping: removing it is a cure): %w", dir, err)
	}
	if err := c.Linger(lingerTime); err != nil {
		return nil, errors.Join(err, c.Stop(ctx))
	}
	address, err := url.Parse(c.URL())
	if err != nil {
		return nil, err
	}
	s := &server{cluster: c, url: *address, dir: dir, idle: make(chan *pgx.Conn, 4)}
	return s, errors.Join(sweepDirs(dir), s.maintain(ctx, func(conn *pgx.Conn) error { return sweep(ctx, conn) }))
})

// base returns the folder for the server's files: in memory, if the machine has plenty,
// because copying a database means creating three hundred small files; else the folder for
// temporary files. The size decides, not the free space, so that all processes decide
// alike.
func base() string {
	const memory, plenty = "/dev/shm", 4 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err != nil || uint64(fs.Blocks)*uint64(fs.Bsize) < plenty {
		return os.TempDir()
	}
	return memory
}

// sharedDir creates the folder of this user's test server. In a folder shared by all users,
// another, untrusted user may have taken the name.
func sharedDir(base string) (string, error) {
	dir := filepath.Join(base, fmt.Sprintf("vitrine-test-%d", os.Geteuid()))
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o755 // the unprivileged user that runs the server must pass through
	}
	if err := os.Mkdir(dir, mode); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", err
	}
	uid := int(info.Sys().(*syscall.Stat_t).Uid)
	if !info.IsDir() || uid != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return "", fmt.Errorf("%s is in the way: it is %s, of user %d", dir, info.Mode(), uid)
	}
	return dir, nil
}

// address returns the URL of one database of the server.
func (s *server) address(database string) string {
	address := s.url
	address.Path = "/" + database
	return address.String()
}

// maintain runs do on a connection to the maintenance database.
func (s *server) maintain(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := s.connection(ctx)
	if err != nil {
		return err
	}
	if err := do(conn); err != nil {
		return errors.Join(err, conn.Close(ctx)) // closing releases the locks that it may hold
	}
	select {
	case s.idle <- conn:
		return nil
	default:
		return conn.Close(ctx)
	}
}

// connection returns an idle connection that still works, or else a new one. A pool would
// keep a goroutine, which leak checks of tests would report.
func (s *server) connection(ctx context.Context) (*pgx.Conn, error) {
	select {
	case conn := <-s.idle:
		if conn.Ping(ctx) == nil {
			return conn, nil
		}
	default:
	}
	return pgx.Connect(ctx, s.address("postgres"))
}

// sweep drops the databases of test processes that have ended.
func sweep(ctx context.Context, conn *pgx.Conn) error {
	names, err := list(ctx, conn, clonePrefix)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := dropOrphan(ctx, conn, name); err != nil {
			return err
		}
	}
	return nil
}

func dropOrphan(ctx context.Context, conn *pgx.Conn, name string) error {
	if !orphan(name) {
		return nil
	}
	return drop(ctx, conn, name)
}

// sweepDirs removes the folders of test processes that have ended.
func sweepDirs(dir string) error {
	left, err := filepath.Glob(filepath.Join(dir, clonePrefix+"*"))
	for _, path := range left {
		if orphan(filepath.Base(path)) {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// orphan reports whether a name is one of Clone or Dir whose process has ended.
func orphan(name string) bool {
	number, _, _ := strings.Cut(strings.TrimPrefix(name, clonePrefix), "_")
	pid, err := strconv.Atoi(number)
	return err == nil && pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
