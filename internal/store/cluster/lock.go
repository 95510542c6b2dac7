package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// The lock files of a home; the package comment explains their use.
const (
	startLock  = "start.lock"
	usersLock  = "users.lock"
	serverLock = "server.lock"
)

const (
	shared    = syscall.LOCK_SH
	exclusive = syscall.LOCK_EX
)

// pollEvery is the interval of polling for changes without a notification: a lock of
// another process, a server that is not ready yet.
const pollEvery = 20 * time.Millisecond

// lockFile is one open file description; flock belongs to it, not to the process, and a
// child that inherits it holds the lock too.
type lockFile struct{ *os.File }

func (h home) openLock(name string) (*lockFile, error) {
	file, err := os.OpenFile(filepath.Join(h.path, name), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	return &lockFile{file}, nil
}

// lock waits for the lock until ctx ends.
func (h home) lock(ctx context.Context, name string, how int) (*lockFile, error) {
	file, err := h.openLock(name)
	if err != nil {
		return nil, err
	}
	for {
		got, err := file.try(how)
		if got {
			return file, nil
		}
		if err == nil {
			err = pause(ctx)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("waiting for %s: %w", file.Name(), err), file.Close())
		}
	}
}

// try acquires the lock if it is free, and reports whether it did.
func (l *lockFile) try(how int) (bool, error) {
	for {
		err := syscall.Flock(int(l.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, fmt.Errorf("lock %s: %w", l.Name(), err)
		}
	}
}

// unlock releases the lock at once, also for a copy of the descriptor that another child of
// this process holds briefly between its fork and its exec.
func (l *lockFile) unlock() {
	if err := syscall.Flock(int(l.Fd()), syscall.LOCK_UN); err != nil {
		panic(fmt.Sprintf("cluster: unlock of an open file: %v", err))
	}
}

// release unlocks and closes.
func (l *lockFile) release() {
	l.unlock()
	l.discard()
}

// discard closes this process's descriptor but leaves the lock to a child that inherited
// it.
func (l *lockFile) discard() {
	if err := l.Close(); err != nil {
		panic(fmt.Sprintf("cluster: close of an open lock file: %v", err))
	}
}

// pause waits pollEvery, or returns the error of ctx.
func pause(ctx context.Context) error {
	timer := time.NewTimer(pollEvery)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
