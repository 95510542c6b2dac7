package blob

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine/internal/lru"
)

// Cache keeps derived objects, such as resized pictures, in a directory bounded
// in bytes; the entry used longest ago goes first. Writes are atomic but not
// flushed, so each entry carries a checksum: what a power cut has torn is a
// miss. Several processes may share the directory; each counts what it has seen.
//
// An entry is derived/ab/<source>-<sha256 of the key>: eight bytes of header (the
// body's length and CRC-32C, big endian), then the body. The source is the hash of the
// object that it was derived from: whoever removes that object has to find what was made
// of it (Drop), and what is left of objects that others removed (Sources).
type Cache struct {
	dir   string
	temp  string
	limit int64

	mu    sync.Mutex
	known *lru.Weighted[string, struct{}] // names, in bytes on disk
}

const cacheHeader = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// OpenCache opens or creates the cache below root, which may be the root of a
// Dir as well, and sweeps leftovers. It holds at most limit bytes; what is there
// already is ordered by when it was written.
func OpenCache(root string, limit int64) (*Cache, error) {
	c := &Cache{
		dir: filepath.Join(root, "derived"), temp: filepath.Join(root, "derived-tmp"), limit: limit,
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

// load lists what an earlier process has kept.
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
		if _, ok := sourceOf(entry.Name()); !ok { // of a program that could not tell what it was derived from
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

// Get returns the body kept for a source under key. The error is one of the disk; a miss
// and a torn entry are false without one.
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
	if len(raw) < cacheHeader || int(binary.BigEndian.Uint32(raw)) != len(raw)-cacheHeader ||
		binary.BigEndian.Uint32(raw[4:]) != crc32.Checksum(raw[cacheHeader:], castagnoli) {
		return nil, false, c.drop(name)
	}
	return raw[cacheHeader:], true, c.note(name, int64(len(raw)))
}

// Put keeps body for a source under key and evicts what no longer fits. A body that
// alone exceeds the cache is not kept.
func (c *Cache) Put(source, key string, body []byte) error {
	if err := CheckName(source); err != nil {
		return err
	}
	size := int64(len(body)) + cacheHeader
	if size > c.limit {
		return nil
	}
	raw := make([]byte, cacheHeader, size)
	binary.BigEndian.PutUint32(raw, uint32(len(body)))
	binary.BigEndian.PutUint32(raw[4:], crc32.Checksum(body, castagnoli))
	raw = append(raw, body...)

	name := entryName(source, key)
	temp := filepath.Join(c.temp, rand.Text())
	err := os.WriteFile(temp, raw, 0o640)
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

// note records an entry as the one used last, and removes those used longest ago
// until the rest fits. They are forgotten even when the removal fails, so that
// one file that cannot be removed does not keep all others.
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

func (c *Cache) path(name string) string { return filepath.Join(c.dir, name[:2], name) }

func entryName(source, key string) string { return source + "-" + Sum([]byte(key)) }

// sourceOf is what an entry was derived from; ok is false for a file that is no entry.
func sourceOf(name string) (source string, ok bool) {
	source, key, found := strings.Cut(name, "-")
	return source, found && CheckName(source) == nil && CheckName(key) == nil
}

// Sources are the sources of a shard, "00" to "ff", of which something is kept, each once.
func (c *Cache) Sources(shard string) (sources []string, err error) {
	entries, err := os.ReadDir(filepath.Join(c.dir, shard))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("blob: cache: %w", err)
	}
	for _, entry := range entries { // in the order of names
		if source, ok := sourceOf(entry.Name()); ok && (len(sources) == 0 || sources[len(sources)-1] != source) {
			sources = append(sources, source)
		}
	}
	return sources, nil
}

// Drop removes all that was derived from a source.
func (c *Cache) Drop(source string) error {
	if err := CheckName(source); err != nil {
		return err
	}
	kept, err := filepath.Glob(filepath.Join(c.dir, source[:2], source+"-*"))
	for _, path := range kept {
		err = errors.Join(err, c.drop(filepath.Base(path)))
	}
	return err
}
