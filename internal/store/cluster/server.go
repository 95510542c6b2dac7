package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// maxLogSize is the size from which postgres.log is rotated at a start.
const maxLogSize = 10 << 20

// pollsPerLine is how many polls of a server that is not ready pass between two log lines
// about it: about ten seconds.
const pollsPerLine = 500

// awaitServer waits until a server accepts connections. It starts one when none runs, and again
// when the one it found was shutting down. The caller holds start.lock.
func (c *Cluster) awaitServer(ctx context.Context) error {
	var logStart int64
	for polls := 1; ; polls++ {
		running, err := c.home.running()
		if err != nil {
			return err
		}
		switch {
		case running:
			ready, err := c.tryConnect(ctx)
			if ready && c.serverCmd == nil {
				c.log.Info("using the private PostgreSQL server that is already running", "dir", c.home.path)
			}
			if ready || err != nil {
				return err
			}
			if polls%pollsPerLine == 0 {
				c.log.Warn("still waiting for the private PostgreSQL server, which may be recovering", "log", c.logPath())
			}
			if err := pause(ctx); err != nil {
				return fmt.Errorf("the server in %s does not accept connections yet (see %s): %w", c.home.path, c.logPath(), err)
			}
		case c.serverCmd != nil:
			return errors.Join(fmt.Errorf("the server in %s ended while it started: %s", c.home.path, c.logFrom(logStart)), c.reap())
		default:
			if logStart, err = c.spawn(); err != nil {
				return err
			}
		}
	}
}

// spawn starts a server that inherits server.lock, and returns where its output begins in
// the log. If another process is just testing the lock, spawn returns without starting one:
// the caller tries again.
func (c *Cluster) spawn() (logStart int64, err error) {
	lock, err := c.home.openLock(serverLock)
	if err != nil {
		return 0, err
	}
	defer lock.discard()
	if got, err := lock.try(exclusive); !got {
		return 0, err
	}
	socket, err := c.home.socketDir(c.account)
	if err != nil {
		return 0, err
	}
	crashed, err := c.home.clearStale(socket)
	if err != nil {
		return 0, err
	}
	if crashed {
		c.log.Warn("the private PostgreSQL server was not stopped properly; it recovers now", "dir", c.home.path)
	}
	log, logStart, err := c.openLog()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(c.server.path("postgres"), append([]string{"-D", c.home.data()}, settings(socket, c.unsafe, c.most)...)...)
	c.account.applyTo(cmd)
	cmd.Dir = c.home.path
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{lock.File}
	if err := errors.Join(cmd.Start(), log.Close()); err != nil {
		return 0, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	c.serverCmd = cmd
	return logStart, nil
}

// shutdown requests a fast shutdown (SIGINT) and waits until no process of the server is
// left. The caller holds start.lock.
func (c *Cluster) shutdown(ctx context.Context) error {
	file, found, err := c.home.pidFile()
	if err != nil {
		return err
	}
	// The id in a stale file could belong to any process: only a live server's counts.
	if lives, err := c.home.postmasterLives(); err != nil {
		return err
	} else if found && lives {
		err := syscall.Kill(file.pid, syscall.SIGINT)
		if err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the server %d in %s: %w", file.pid, c.home.path, err)
		}
	} else if c.serverCmd != nil {
		// It has not written its id yet, or is dead: signalling the child is safe in both
		// cases.
		if err := c.serverCmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
	}
	if err := c.awaitEnd(ctx); err != nil {
		return fmt.Errorf("the server in %s is still shutting down, and will finish on its own: %w", c.home.path, err)
	}
	c.log.Info("private PostgreSQL stopped", "dir", c.home.path)
	return errors.Join(c.reap(), c.removeShortSocket())
}

func (c *Cluster) awaitEnd(ctx context.Context) error {
	for {
		running, err := c.home.running()
		if err != nil || !running {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// reap collects the exit of the server that this process started. The exit status does not
// matter any more; the log has it.
func (c *Cluster) reap() error {
	if c.serverCmd == nil {
		return nil
	}
	err := c.serverCmd.Wait()
	c.serverCmd = nil
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil
	}
	return err
}

// removeShortSocket removes a socket folder outside the home, if it is empty.
func (c *Cluster) removeShortSocket() error {
	if c.socket == "" || filepath.Base(c.socket) != "vitrine-"+c.home.hash() {
		return nil
	}
	err := os.Remove(c.socket)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTEMPTY) {
		return nil
	}
	return err
}

func (c *Cluster) logPath() string { return filepath.Join(c.home.path, "postgres.log") }

// openLog opens postgres.log for appending, and returns its length.
func (c *Cluster) openLog() (*os.File, int64, error) {
	if info, err := os.Lstat(c.logPath()); err == nil && info.Size() > maxLogSize {
		if err := os.Rename(c.logPath(), c.logPath()+".1"); err != nil {
			return nil, 0, err
		}
	}
	file, err := os.OpenFile(c.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// logFrom returns the server's output since its start, for an error message.
func (c *Cluster) logFrom(start int64) string {
	file, err := os.Open(c.logPath())
	if err != nil {
		return err.Error()
	}
	text, err := io.ReadAll(io.NewSectionReader(file, start, 64<<10))
	if err := errors.Join(err, file.Close()); err != nil {
		return err.Error()
	}
	return string(lastBytes(text))
}
