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

// staleAfter is the age at which opening a store treats a temporary file as the leftover of
// a killed process. Other running processes may share the directory, so younger files are
// kept.
const staleAfter = time.Hour

// Dir is a Store in a directory of one file system.
type Dir struct {
	objects string // sha256/ab/abcd…
	temp    string // on the same file system, so that a rename is atomic

	create func(path string) (*os.File, error) // of temporary files; replaced in tests
}

var _ Store = (*Dir)(nil)

// OpenDir opens or creates a directory store and removes temporary files that were not
// written for an hour.
func OpenDir(root string) (*Dir, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	d := &Dir{objects: filepath.Join(root, "sha256"), temp: filepath.Join(root, "tmp"), create: createNew}
	if err := d.makeDirs(root); err != nil {
		return nil, fmt.Errorf("blob: open %s: %w", root, err)
	}
	if err := d.restore(); err != nil {
		return nil, fmt.Errorf("blob: restore %s: %w", root, err)
	}
	return d, d.RemoveStale(context.Background(), time.Now().Add(-staleAfter))
}

// RemoveStale removes temporary files of Puts that were not written since before. Objects that
// Collect has moved aside are kept.
func (d *Dir) RemoveStale(_ context.Context, before time.Time) error {
	if err := sweep(d.temp, before); err != nil {
		return fmt.Errorf("blob: sweep %s: %w", d.temp, err)
	}
	return nil
}

// makeDirs creates all directories and flushes them once. If they were created on demand,
// every process that finds one would have to flush it into its parent before acknowledging
// the first object in it.
func (d *Dir) makeDirs(root string) error {
	dirs := []string{d.temp, d.objects}
	for i := range 256 {
		dirs = append(dirs, filepath.Join(d.objects, fmt.Sprintf("%02x", i)))
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return err
		}
		// An earlier version made the directories, and the files in them, accessible to all
		// users of the machine.
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

// sweep removes the files of dir that were last written before the given time, except those
// moved aside by a Collect in progress.
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

// Owner reads the file that Mark has written.
func (d *Dir) Owner(context.Context) (string, error) {
	if _, err := os.Stat(d.temp); err != nil { // the directory is gone, and not only unmarked
		return "", wrapAway(fmt.Errorf("blob: %w", err))
	}
	f, err := os.Open(d.owner())
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", wrapAway(fmt.Errorf("blob: %w", err))
	}
	defer f.Close()
	id, err := readOwner(f)
	return id, wrapAway(err)
}

// Mark writes a file of the directory.
func (d *Dir) Mark(_ context.Context, id string) error {
	temp := filepath.Join(d.temp, "mark-"+rand.Text())
	f, err := d.create(temp)
	if err != nil {
		return wrapAway(fmt.Errorf("blob: %w", err))
	}
	_, err = f.WriteString(id + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(temp, d.owner())
	}
	if err != nil {
		return wrapAway(errors.Join(err, os.Remove(temp)))
	}
	return wrapAway(syncDir(filepath.Dir(d.owner())))
}

func (d *Dir) owner() string { return filepath.Join(filepath.Dir(d.objects), ownerFile) }

// Put stores the content of r, at most limit bytes.
func (d *Dir) Put(ctx context.Context, r io.Reader, limit int64) (Ref, error) {
	return d.put(ctx, r, atMost(limit))
}

// PutWithNote stores the content of r after note has been called with its Ref.
func (d *Dir) PutWithNote(ctx context.Context, r io.Reader, limit int64, note func(Ref) error) (Ref, error) {
	return d.put(ctx, r, expectation{limit: limit, note: note})
}

// PutExpect stores the content of r if it has the expected hash and length.
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
		return Ref{}, wrapAway(fmt.Errorf("blob: %w", err))
	}
	ref, err := want.take(ctx, f, r)
	if err == nil {
		err = wrapAway(f.Sync())
	}
	if closeErr := f.Close(); err == nil {
		err = wrapAway(closeErr)
	}
	// An existing object is replaced with the same bytes: this costs no more than a check,
	// and repairs one that the disk has damaged.
	if err == nil {
		err = wrapAway(os.Rename(temp, d.path(ref.SHA256)))
	}
	if err != nil {
		return Ref{}, errors.Join(err, os.Remove(temp))
	}
	if err := syncDir(filepath.Dir(d.path(ref.SHA256))); err != nil {
		return Ref{}, wrapAway(err)
	}
	return ref, nil
}

func createNew(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
}

// Open returns the file, which supports seeking.
func (d *Dir) Open(_ context.Context, sha string) (io.ReadSeekCloser, int64, error) {
	if err := CheckName(sha); err != nil {
		return nil, 0, err
	}
	f, err := os.Open(d.path(sha))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%w: %s", ErrNotFound, sha)
	}
	if err != nil {
		return nil, 0, wrapAway(fmt.Errorf("blob: %w", err))
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(wrapAway(err), f.Close())
	}
	return f, info.Size(), nil
}

// ReadAll returns the whole object after verifying it.
func (d *Dir) ReadAll(ctx context.Context, sha string, max int64) ([]byte, error) {
	return readAll(ctx, d, sha, max)
}

// Has checks for the file.
func (d *Dir) Has(_ context.Context, sha string) (bool, error) {
	if err := CheckName(sha); err != nil {
		return false, err
	}
	_, err := os.Stat(d.path(sha))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, wrapAway(err)
}

// Each reads one directory. Other files than objects are skipped.
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

// Collect moves the file aside before it checks its age, and moves a young one back: a
// concurrent Put finds the place empty and fills it. Nothing is flushed: an object that
// reappears after a power failure is collected again.
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
	if errors.Is(err, fs.ErrNotExist) { // a process that has just been opened has moved it back
		return false, nil
	}
	return gone && err == nil, err
}

// goneMark is the prefix of the name of a temporary file that Collect has moved aside; the
// hash follows.
const goneMark = "gone-"

// restore moves back objects that Collect had moved aside when its process was killed.
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

// syncDir flushes the entries of a directory; without it a rename may be lost.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	return errors.Join(f.Sync(), f.Close())
}
