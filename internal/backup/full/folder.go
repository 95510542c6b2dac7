package full

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/blob"
)

// workers is how many objects are read or copied at once.
const workers = 8

// hold opens a folder and locks it until release.
func hold(dir string, how int) (release func() error, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = fmt.Errorf("another backup, check or restore works with %s", dir)
		}
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}

// create writes a new file of the folder and returns its hash.
func create(dir, name string, write func(io.Writer) error) (file File, err error) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // it contains personal data
	if err != nil {
		return file, err
	}
	hash, size := sha256.New(), new(counter)
	err = write(io.MultiWriter(f, hash, size))
	err = errors.Join(err, f.Sync(), f.Close())
	return File{Name: name, Bytes: int64(*size), SHA256: hex.EncodeToString(hash.Sum(nil))}, err
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// check compares a file of the folder with its hash.
func (f File) check(ctx context.Context, dir string) error {
	file, err := os.Open(filepath.Join(dir, f.Name))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer file.Close()
	sum, size, err := sumOf(ctx, file)
	if err == nil && (sum != f.SHA256 || size != f.Bytes) {
		err = fmt.Errorf("%w: %s has %d bytes and not the hash of the %d that were written", ErrDamaged, f.Name, size, f.Bytes)
	}
	return err
}

func sumOf(ctx context.Context, r io.Reader) (sum string, size int64, err error) {
	hash := sha256.New()
	size, err = io.Copy(hash, stopping{ctx, r})
	return hex.EncodeToString(hash.Sum(nil)), size, err
}

// stopping ends a copy when its context ends.
type stopping struct {
	ctx context.Context
	r   io.Reader
}

func (s stopping) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// each calls do for each object of a list, several at a time, until one fails.
func (l List) each(ctx context.Context, dir string, do func(ctx context.Context, sha string) error) error {
	f, err := os.Open(filepath.Join(dir, l.Name))
	if err != nil {
		return err
	}
	defer f.Close()
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	lines := bufio.NewScanner(f)
	for lines.Scan() && within.Err() == nil {
		sha := lines.Text()
		if err := blob.CheckName(sha); err != nil {
			return errors.Join(fmt.Errorf("%w: %s: %w", ErrDamaged, l.Name, err), group.Wait())
		}
		group.Go(func() error { return do(within, sha) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return errors.Join(lines.Err(), ctx.Err())
}

// lost reports whether the bucket did not have an object when the backup was made.
func (l List) lost() func(sha string) bool {
	known := map[string]bool{}
	for _, gap := range l.Lost {
		known[gap.SHA256] = true
	}
	// Beyond those that are named, any object may be one of them.
	return func(sha string) bool { return known[sha] || l.Lacking > len(l.Lost) }
}
