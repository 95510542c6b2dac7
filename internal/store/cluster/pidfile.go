package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// pidFile is postmaster.pid, which the server writes into its data directory: process id,
// data directory, start time, port, socket folder, TCP address, shared memory and status,
// one per line. While the server starts, the later lines are missing.
type pidFile struct {
	pid    int
	port   int    // 0 while missing
	socket string // empty while missing
}

// parsePidFile returns false for any text that the server did not write.
func parsePidFile(text string) (pidFile, bool) {
	lines := strings.Split(text, "\n")
	// A negative id is a server in single-user mode, which accepts no connections.
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || pid < 2 {
		return pidFile{}, false
	}
	file := pidFile{pid: pid}
	if len(lines) < 6 { // the socket's line counts only when it is complete
		return file, true
	}
	port, err := strconv.Atoi(lines[3])
	if err != nil || port < 1 || port > 65535 || !filepath.IsAbs(lines[4]) {
		return file, true
	}
	file.port, file.socket = port, lines[4]
	return file, true
}

func (h home) pidPath() string { return filepath.Join(h.data(), "postmaster.pid") }

// pidFile reads postmaster.pid; false when there is none, or none that can be parsed.
func (h home) pidFile() (pidFile, bool, error) {
	text, err := readSmall(h.pidPath())
	if errors.Is(err, fs.ErrNotExist) {
		return pidFile{}, false, nil
	}
	if err != nil {
		return pidFile{}, false, err
	}
	file, ok := parsePidFile(text)
	return file, ok, nil
}

// running reports whether any process of a server uses the data directory: a server of
// vitrine, known by its lock, or one started manually.
func (h home) running() (bool, error) {
	lock, err := h.openLock(serverLock)
	if err != nil {
		return false, err
	}
	free, err := lock.try(shared)
	if err != nil {
		return false, errors.Join(err, lock.Close())
	}
	lock.discard()
	if !free {
		return true, nil
	}
	return h.postmasterLives()
}

// postmasterLives reports whether the process in postmaster.pid is a server on this data
// directory. The process id alone is no proof: after a crash another program may have got
// it. A server's working directory is its data directory.
func (h home) postmasterLives() (bool, error) {
	file, ok, err := h.pidFile()
	if err != nil || !ok {
		return false, err
	}
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		// Without /proc the process id must do: better refuse than start twice.
		return !errors.Is(syscall.Kill(file.pid, 0), syscall.ESRCH), nil
	}
	data, err := filepath.EvalSymlinks(h.data()) // an administrator may have moved it to a bigger disk
	if err != nil {
		return false, err
	}
	dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", file.pid))
	return err == nil && dir == data, nil
}

// clearStale removes the files left by a dead server: postmaster.pid, the socket and the
// socket's own pid file. The next server would do so too, unless another program of the
// same user has got the process id, or the dead process has not been reaped by its parent.
// The caller holds server.lock.
func (h home) clearStale(socket string) (crashed bool, err error) {
	file := filepath.Join(socket, ".s.PGSQL."+port)
	for _, path := range []string{h.pidPath(), file, file + ".lock"} {
		err := os.Remove(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
		crashed = crashed || err == nil
	}
	return crashed, nil
}
