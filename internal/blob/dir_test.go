package blob

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// filesBelow lists the regular files of a tree.
func filesBelow(t testing.TB, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func openTestDir(t testing.TB) testStore {
	t.Helper()
	root := filepath.Join(t.TempDir(), "de[e]p", "blobs")
	s, err := Open("file://" + root)
	if err != nil {
		t.Fatal(err)
	}
	return testStore{
		Store: s,
		list:  func() []string { return filesBelow(t, root) },
		damage: func(sha string, content []byte) {
			if err := os.WriteFile(s.(*Dir).path(sha), content, 0o644); err != nil {
				t.Fatal(err)
			}
		},
		age: func(sha string, put time.Time) {
			if err := os.Chtimes(s.(*Dir).path(sha), put, put); err != nil {
				t.Fatal(err)
			}
		},
	}
}

func TestRelativeDirectoryAddress(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, address := range []string{"file://./var/blobs", "file://blobs"} {
		s, err := Open(address)
		if err != nil {
			t.Fatal(err)
		}
		mustPut(t, s, "hello")
		if _, err := os.Stat(filepath.Join(address[len("file://"):], "sha256", "2c", helloSHA)); err != nil {
			t.Error(err)
		}
	}
}

func TestOpeningSweepsOldLeftoversOnly(t *testing.T) {
	root := t.TempDir()
	temp := filepath.Join(root, "tmp")
	if err := os.MkdirAll(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{"old": 2 * time.Hour, "young": time.Minute} {
		path := filepath.Join(temp, name)
		if err := os.WriteFile(path, []byte("half"), 0o644); err != nil {
			t.Fatal(err)
		}
		written := time.Now().Add(-age)
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenDir(root); err != nil {
		t.Fatal(err)
	}
	if got := filesBelow(t, temp); len(got) != 1 || filepath.Base(got[0]) != "young" {
		t.Errorf("left: %v", got)
	}
}

func TestOpenReaderSurvivesCollect(t *testing.T) {
	s := openTestDir(t)
	ref := mustPut(t, s, "hello")
	r, _, err := s.Open(t.Context(), ref.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !mustCollect(t, s, ref.SHA256, time.Now().Add(time.Hour)) {
		t.Fatal("the object is still there")
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "hello" {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestDirectoryThatIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var pathErr *fs.PathError
	if _, err := OpenDir(path); !errors.As(err, &pathErr) {
		t.Errorf("error %v", err)
	}
}

// A full disk accepts no bytes (/dev/full behaves like one); existing objects remain, no
// leftover remains, and everything works once there is space again.
func TestAFullDisk(t *testing.T) {
	s := openTestDir(t)
	kept := mustPut(t, s, "kept before")
	dir := s.Store.(*Dir)
	dir.create = func(path string) (*os.File, error) {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			return nil, err
		}
		return os.OpenFile("/dev/full", os.O_WRONLY, 0)
	}
	for _, size := range []int{1, 1 << 20} {
		ref, err := s.Put(t.Context(), strings.NewReader(strings.Repeat("x", size)), 1<<20)
		if !errors.Is(err, ErrUnavailable) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "the disk for files is full") || ref != (Ref{}) {
			t.Errorf("%d bytes: %v, %v", size, ref, err)
		}
	}
	if got, err := s.ReadAll(t.Context(), kept.SHA256, 100); err != nil || string(got) != "kept before" {
		t.Errorf("%q, %v", got, err)
	}
	wantObjects(t, s, 1)
	dir.create = createNew
	mustPut(t, s, "after")
	wantObjects(t, s, 2)
}

func TestReadOnlyDirectory(t *testing.T) {
	s := openTestDir(t)
	if err := os.RemoveAll(s.Store.(*Dir).temp); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), strings.NewReader("x"), 1); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
}

// Blobs are accessible only to the server's user and group: they include pending photos and
// files of forms.
func TestBlobsAreClosedToOtherUsers(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "blobs")
	for range 2 {
		d, err := OpenDir(root)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Put(t.Context(), strings.NewReader("a photo"), 100); err != nil {
			t.Fatal(err)
		}
		seen := 0
		err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || path == root {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			if seen++; info.Mode().Perm()&0o027 != 0 {
				t.Errorf("%s is %v", path, info.Mode())
			}
			return nil
		})
		if err != nil || seen < 258 {
			t.Errorf("%d files and folders, %v", seen, err)
		}
		if err := os.Chmod(d.objects, 0o755); err != nil { // the mode of an earlier version
			t.Fatal(err)
		}
	}
}
