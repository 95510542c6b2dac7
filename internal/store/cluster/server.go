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

// biggestLog is the size from which postgres.log is set aside at a start.
const biggestLog = 10 << 20

// looksPerLine is how many looks at a server that is not ready pass between two
// lines about it: about ten seconds.
const looksPerLine = 500

// bring waits until a server accepts connections. It starts one when none runs,
// and again when the one it found was on its way out. The caller holds
// start.lock.
func (c *Cluster) bring(ctx context.Context) error {
	var logStart int64
	for looks := 1; ; looks++ {
		running, err := c.home.running()
		if err != nil {
			return err
		}
		switch {
		case running:
			ready, err := c.greet(ctx)
			if ready && c.command == nil {
				c.log.Info("using the private PostgreSQL server that is already running", "dir", c.home.path)
			}
			if ready || err != nil {
				return err
			}
			if looks%looksPerLine == 0 {
				c.log.Warn("still waiting for the private PostgreSQL server, which may be recovering", "log", c.logPath())
			}
			if err := pause(ctx); err != nil {
				return fmt.Errorf("the server in %s does not accept connections yet (see %s): %w", c.home.path, c.logPath(), err)
			}
		case c.command != nil:
			return errors.Join(fmt.Errorf("the server in %s ended while it started: %s", c.home.path, c.logFrom(logStart)), c.reap())
		default:
			if logStart, err = c.spawn(); err != nil {
				return err
			}
		}
	}
}

// spawn starts a server that inherits server.lock, and returns where its lines
// begin in the log. Another process that looks at the lock just now makes it
// return without one: the caller tries again.
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
	cmd := exec.Command(c.server.path("postgres"), append([]string{"-D", c.home.data()}, settings(socket, c.unsafe)...)...)
	c.account.dress(cmd)
	cmd.Dir = c.home.path
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{lock.File}
	if err := errors.Join(cmd.Start(), log.Close()); err != nil {
		return 0, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	c.command = cmd
	return logStart, nil
}

// shutdown asks for a fast shutdown (SIGINT) and waits until no process of the
// server is left. The caller holds start.lock.
func (c *Cluster) shutdown(ctx context.Context) error {
	file, found, err := c.home.pidFile()
	if err != nil {
		return err
	}
	// A number from a stale file could be anybody's: only a living server's counts.
	if lives, err := c.home.postmasterLives(); err != nil {
		return err
	} else if found && lives {
		err := syscall.Kill(file.pid, syscall.SIGINT)
		if err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop the server %d in %s: %w", file.pid, c.home.path, err)
		}
	} else if c.command != nil {
		// Not far enough to have written its number, or dead: both take a signal.
		if err := c.command.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
	}
	if err := c.awaitEnd(ctx); err != nil {
		return fmt.Errorf("the server in %s is still shutting down, and goes on by itself: %w", c.home.path, err)
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

// reap takes the exit of the server that this process started. How it ended is
// in the log, and matters to nobody any more.
func (c *Cluster) reap() error {
	if c.command == nil {
		return nil
	}
	err := c.command.Wait()
	c.command = nil
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil
	}
	return err
}

// removeShortSocket takes away a socket folder outside the home, if it is empty.
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

// openLog opens postgres.log at its end, and returns how long it was.
func (c *Cluster) openLog() (*os.File, int64, error) {
	if info, err := os.Lstat(c.logPath()); err == nil && info.Size() > biggestLog {
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

// logFrom is what the server said since its start, for an error message.
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
