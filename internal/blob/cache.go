package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine/internal/lru"
)

// Cache keeps derived objects, such as resized pictures, in a directory bounded in bytes;
// the least recently used entry is evicted first. Writes are atomic but not flushed, so
// each entry has a checksum: an entry torn by a power failure is a miss. Several processes
// may share the directory; each counts the entries it has seen.
//
// Entries are files as in a Store (derived.go).
type Cache struct {
	dir   string
	temp  string
	limit int64

	mu    sync.Mutex
	known *lru.Weighted[string, struct{}] // names, weighted by bytes on disk
}

// OpenCache opens or creates the cache below root, which may be the root of a Dir as well,
// and removes stale temporary files. It holds at most limit bytes; existing entries are
// ordered by their modification time.
func OpenCache(root string, limit int64) (*Cache, error) {
	c := &Cache{
		dir: filepath.Join(root, derivedDir), temp: filepath.Join(root, "derived-tmp"), limit: limit,
		known: lru.New[string, struct{}](limit),
	}
	for _, dir := range []string{c.dir, c.temp} {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			return nil, fmt.Errorf("blob: cache: %w", err)
		}
	}
	if err := sweep(c.temp, time.Now().Add(-staleAfter)); err != nil {
		return nil, fmt.Errorf("blob: cache: %w", err)
	}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("blob: cache: %w", err)
	}
	return c, nil
}

// load lists the entries kept by earlier processes.
func (c *Cache) load() error {
	type found struct {
		name    string
		size    int64
		written time.Time
	}
	var all []found
	err := filepath.WalkDir(c.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if _, ok := sourceOf(entry.Name()); !ok { // from an older version, which did not record the source
			return os.Remove(path)
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			all = append(all, found{entry.Name(), info.Size(), info.ModTime()})
		}
		return err
	})
	slices.SortFunc(all, func(a, b found) int { return a.written.Compare(b.written) })
	for _, f := range all {
		err = errors.Join(err, c.note(f.name, f.size))
	}
	return err
}

// Get returns the body kept for a source under key. Errors are those of the disk; a miss
// and a torn entry return false without an error.
func (c *Cache) Get(source, key string) (body []byte, ok bool, err error) {
	if err := CheckName(source); err != nil {
		return nil, false, err
	}
	name := entryName(source, key)
	raw, err := os.ReadFile(c.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		c.forget(name)
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("blob: cache: %w", err)
	}
	body, ok = unseal(raw)
	if !ok {
		return nil, false, c.drop(name)
	}
	return body, true, c.note(name, int64(len(raw)))
}

// Put keeps body for a source under key and evicts entries beyond the limit. A body larger
// than the cache is not kept.
func (c *Cache) Put(source, key string, body []byte) error {
	if err := CheckName(source); err != nil {
		return err
	}
	size := int64(len(body)) + derivedHeader
	if size > c.limit {
		return nil
	}
	name := entryName(source, key)
	temp := filepath.Join(c.temp, rand.Text())
	err := os.WriteFile(temp, seal(body), 0o640)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(c.path(name)), 0o750)
	}
	if err == nil {
		err = os.Rename(temp, c.path(name))
	}
	if err != nil {
		if gone := os.Remove(temp); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		return fmt.Errorf("blob: cache: %w", err)
	}
	return c.note(name, size)
}

// note marks an entry as the most recently used one, and removes the least recently used
// ones until the rest fits. Evicted entries are forgotten even if the removal of their file
// fails, so that one such file does not block the cache.
func (c *Cache) note(name string, size int64) (err error) {
	c.mu.Lock()
	gone := c.known.Put(name, struct{}{}, size)
	c.mu.Unlock()
	for _, old := range gone {
		err = errors.Join(err, c.remove(old))
	}
	return err
}

func (c *Cache) drop(name string) error {
	c.forget(name)
	return c.remove(name)
}

func (c *Cache) remove(name string) error {
	if err := os.Remove(c.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("blob: cache: %w", err)
	}
	return nil
}

func (c *Cache) forget(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known.Remove(name)
}

// Bytes returns the size of the known entries on disk.
func (c *Cache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known.Weight()
}

func (c *Cache) path(name string) string { return filepath.Join(c.dir, name[:2], name) }

func entryName(source, key string) string { return source + "-" + Sum([]byte(key)) }

// sourceOf returns the source of an entry; ok is false for other files.
func sourceOf(name string) (source string, ok bool) {
	source, key, found := strings.Cut(name, "-")
	return source, found && CheckName(source) == nil && CheckName(key) == nil
}

// DerivedSources returns the sources of a shard, "00" to "ff", that have entries, each once.
func (c *Cache) DerivedSources(_ context.Context, shard string) (sources []string, err error) {
	return sourcesIn(filepath.Join(c.dir, shard))
}

// DropDerived removes everything derived from a source.
func (c *Cache) DropDerived(_ context.Context, source string) error {
	if err := CheckName(source); err != nil {
		return err
	}
	kept, err := derivedFrom(filepath.Join(c.dir, source[:2]), source)
	for _, name := range kept {
		err = errors.Join(err, c.drop(name))
	}
	return err
}
