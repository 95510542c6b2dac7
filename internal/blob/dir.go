package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// staleAfter is how long a temporary file may lie untouched before an opening
// store takes it for the leftover of a killed process. Other live processes may
// share the directory, so younger ones are left alone.
const staleAfter = time.Hour

// Dir is a Store in a directory of one file system.
type Dir struct {
	objects string // sha256/ab/abcd…
	temp    string // on the same file system, so that a rename is atomic

	create func(path string) (*os.File, error) // of a temporary file
}

var _ Store = (*Dir)(nil)

// OpenDir opens or creates a directory store and sweeps temporary files that
// nobody has written to for an hour.
func OpenDir(root string) (*Dir, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	d := &Dir{objects: filepath.Join(root, "sha256"), temp: filepath.Join(root, "tmp"), create: createNew}
	if err := d.lay(root); err != nil {
		return nil, fmt.Errorf("blob: open %s: %w", root, err)
	}
	if err := d.restore(); err != nil {
		return nil, fmt.Errorf("blob: restore %s: %w", root, err)
	}
	return d, d.Tidy(context.Background(), time.Now().Add(-staleAfter))
}

// Tidy removes temporary files of Puts that were not written to since the time.
// What Collect has taken out of its place is left to it.
func (d *Dir) Tidy(_ context.Context, before time.Time) error {
	if err := sweep(d.temp, before); err != nil {
		return fmt.Errorf("blob: sweep %s: %w", d.temp, err)
	}
	return nil
}

// lay makes all directories and flushes them once. Made on demand, each would
// have to be flushed into its parent before the first object in it may be
// acknowledged, by every process that finds it there.
func (d *Dir) lay(root string) error {
	dirs := []string{d.temp, d.objects}
	for i := range 256 {
		dirs = append(dirs, filepath.Join(d.objects, fmt.Sprintf("%02x", i)))
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return err
		}
		// Those of an earlier version were open to all users of the machine, and so were
		// the files in them.
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o007 != 0 {
			if err := os.Chmod(dir, info.Mode().Perm()&^0o007); err != nil {
				return err
			}
		}
	}
	for _, dir := range []string{d.objects, root, filepath.Dir(root)} {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes the files of dir that were last written before the given time,
// but not what a Collect that is under way has taken aside.
func sweep(dir string, before time.Time) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), goneMark) {
			continue
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.ModTime().Before(before) {
			continue
		}
		if err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Put stores what r yields, at most limit bytes.
func (d *Dir) Put(ctx context.Context, r io.Reader, limit int64) (Ref, error) {
	return d.put(ctx, r, atMost(limit))
}

// PutNoted stores what r yields once note was told of it.
func (d *Dir) PutNoted(ctx context.Context, r io.Reader, limit int64, note func(Ref) error) (Ref, error) {
	return d.put(ctx, r, expectation{limit: limit, note: note})
}

// PutExpect stores what r yields when it is what was promised.
func (d *Dir) PutExpect(ctx context.Context, r io.Reader, sha string, size int64) error {
	want, err := exactly(sha, size)
	if err != nil {
		return err
	}
	_, err = d.put(ctx, r, want)
	return err
}

func (d *Dir) put(ctx context.Context, r io.Reader, want expectation) (Ref, error) {
	temp := filepath.Join(d.temp, "put-"+rand.Text())
	f, err := d.create(temp)
	if err != nil {
		return Ref{}, away(fmt.Errorf("blob: %w", err))
	}
	ref, err := want.take(ctx, f, r)
	if err == nil {
		err = away(f.Sync())
	}
	if closeErr := f.Close(); err == nil {
		err = away(closeErr)
	}
	// An object that is already there is replaced by the same bytes: that costs
	// no more than asking, and heals one that the disk has damaged.
	if err == nil {
		err = away(os.Rename(temp, d.path(ref.SHA256)))
	}
	if err != nil {
		return Ref{}, errors.Join(err, os.Remove(temp))
	}
	if err := syncDir(filepath.Dir(d.path(ref.SHA256))); err != nil {
		return Ref{}, away(err)
	}
	return ref, nil
}

func createNew(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
}

// Open returns the file, ready for ranges.
func (d *Dir) Open(_ context.Context, sha string) (io.ReadSeekCloser, int64, error) {
	if err := CheckName(sha); err != nil {
		return nil, 0, err
	}
	f, err := os.Open(d.path(sha))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%w: %s", ErrNotFound, sha)
	}
	if err != nil {
		return nil, 0, away(fmt.Errorf("blob: %w", err))
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(away(err), f.Close())
	}
	return f, info.Size(), nil
}

// ReadAll returns the whole object, checked.
func (d *Dir) ReadAll(ctx context.Context, sha string, max int64) ([]byte, error) {
	return readAll(ctx, d, sha, max)
}

// Has looks for the file.
func (d *Dir) Has(_ context.Context, sha string) (bool, error) {
	if err := CheckName(sha); err != nil {
		return false, err
	}
	_, err := os.Stat(d.path(sha))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, away(err)
}

// Each reads one directory. Files that are no objects are passed over.
func (d *Dir) Each(ctx context.Context, shard string, visit func(sha string, put time.Time) error) error {
	entries, err := os.ReadDir(filepath.Join(d.objects, shard))
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) || CheckName(entry.Name()) != nil {
			continue
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = visit(entry.Name(), info.ModTime())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Collect takes the file out of its place before it looks at its age, and puts a
// young one back: a Put that comes in between finds the place empty and fills it.
// Nothing is flushed: an object that comes back after a power cut is only
// collected again.
func (d *Dir) Collect(_ context.Context, sha string, before time.Time) (gone bool, err error) {
	if err := CheckName(sha); err != nil {
		return false, err
	}
	aside := filepath.Join(d.temp, goneMark+sha+"-"+rand.Text())
	if err := os.Rename(d.path(sha), aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	info, err := os.Stat(aside)
	switch {
	case err == nil && info.ModTime().Before(before):
		err, gone = os.Remove(aside), true
	case err == nil:
		err = os.Rename(aside, d.path(sha))
	}
	if errors.Is(err, fs.ErrNotExist) { // a process that was just opened has put it back
		return false, nil
	}
	return gone && err == nil, err
}

// goneMark begins the name of a temporary file that Collect took out of its
// place; the hash follows.
const goneMark = "gone-"

// restore puts back what a process that was killed in Collect had taken out.
func (d *Dir) restore() error {
	entries, err := os.ReadDir(d.temp)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		rest, taken := strings.CutPrefix(entry.Name(), goneMark)
		sha, _, _ := strings.Cut(rest, "-")
		if !taken || CheckName(sha) != nil {
			continue
		}
		if err := os.Rename(filepath.Join(d.temp, entry.Name()), d.path(sha)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (d *Dir) path(sha string) string { return filepath.Join(d.objects, sha[:2], sha) }

// syncDir flushes the names in a directory; without it a rename may be lost.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	return errors.Join(f.Sync(), f.Close())
}
