package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"
)

// What is derived from an object is a file or an object named derived/ab/<source>-<sha256 of the key>:
// eight bytes of header (the body's length and CRC-32C, big endian), then the body. The source is the
// hash of the object that it was derived from: code that removes an object has to find what was derived
// from it. The checksum is there because the name is not that of the content.
const derivedDir, derivedHeader = "derived", 8

// maxDerived bounds the bytes of a body in a Store.
const maxDerived = 16 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal puts the header before a body.
func seal(body []byte) []byte {
	raw := make([]byte, derivedHeader, derivedHeader+len(body))
	binary.BigEndian.PutUint32(raw, uint32(len(body)))
	binary.BigEndian.PutUint32(raw[4:], crc32.Checksum(body, castagnoli))
	return append(raw, body...)
}

// unseal returns the body; ok is false if it is damaged.
func unseal(raw []byte) (body []byte, ok bool) {
	if len(raw) < derivedHeader || int(binary.BigEndian.Uint32(raw)) != len(raw)-derivedHeader ||
		binary.BigEndian.Uint32(raw[4:]) != crc32.Checksum(raw[derivedHeader:], castagnoli) {
		return nil, false
	}
	return raw[derivedHeader:], true
}

// readDerived reads a sealed body to its end.
func readDerived(from io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(from, derivedHeader+maxDerived+1))
	if err != nil {
		return nil, err
	}
	body, ok := unseal(raw)
	if !ok {
		return nil, ErrNotFound
	}
	return body, nil
}

// checkDerived checks what is to be stored.
func checkDerived(source string, body []byte) error {
	if len(body) > maxDerived {
		return ErrTooLarge
	}
	return CheckName(source)
}

func (d *Dir) derived(source, key string) string {
	return filepath.Join(filepath.Dir(d.objects), derivedDir, source[:2], entryName(source, key))
}

// Derived reads the file.
func (d *Dir) Derived(_ context.Context, source, key string) ([]byte, error) {
	if err := CheckName(source); err != nil {
		return nil, err
	}
	f, err := os.Open(d.derived(source, key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, wrapAway(fmt.Errorf("blob: %w", err))
	}
	defer f.Close()
	return readDerived(f)
}

// PutDerived renames a temporary file, and flushes nothing.
func (d *Dir) PutDerived(_ context.Context, source, key string, body []byte) error {
	if err := checkDerived(source, body); err != nil {
		return err
	}
	name, temp := d.derived(source, key), filepath.Join(d.temp, "put-"+rand.Text())
	err := os.MkdirAll(filepath.Dir(name), 0o750)
	if err == nil {
		err = os.WriteFile(temp, seal(body), 0o640)
	}
	if err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		if gone := os.Remove(temp); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		return wrapAway(fmt.Errorf("blob: %w", err))
	}
	return nil
}

// DropDerived removes the files.
func (d *Dir) DropDerived(_ context.Context, source string) error {
	if err := CheckName(source); err != nil {
		return err
	}
	dir := filepath.Dir(d.derived(source, ""))
	all, err := derivedFrom(dir, source)
	for _, name := range all {
		if gone := os.Remove(filepath.Join(dir, name)); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return wrapAway(err)
}

// DerivedSources reads a directory.
func (d *Dir) DerivedSources(_ context.Context, shard string) ([]string, error) {
	return sourcesIn(filepath.Join(filepath.Dir(d.objects), derivedDir, shard))
}

// derivedFrom returns the names of the files in a directory that were derived from a source.
// filepath.Glob would take brackets in the directory's own name for a pattern.
func derivedFrom(dir, source string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), source+"-") {
			names = append(names, entry.Name())
		}
	}
	return names, err
}

// sourcesIn returns the sources of the files in a directory of a shard, each once.
func sourcesIn(dir string) (sources []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("blob: %w", err)
	}
	for _, entry := range entries { // sorted by name
		sources = addSource(sources, entry.Name())
	}
	return sources, nil
}

// addSource adds the source of a name, in their order, unless it is there.
func addSource(sources []string, name string) []string {
	if source, ok := sourceOf(name); ok && (len(sources) == 0 || sources[len(sources)-1] != source) {
		return append(sources, source)
	}
	return sources
}

func (b *Bucket) derived(shard, name string) string {
	return path.Join(b.prefix, derivedDir, shard) + "/" + name
}

// Derived reads the object.
func (b *Bucket) Derived(ctx context.Context, source, key string) ([]byte, error) {
	if err := CheckName(source); err != nil {
		return nil, err
	}
	call := begin(ctx, 0)
	defer call.end()
	object, err := b.client.GetObject(call, b.bucket, b.derived(source[:2], entryName(source, key)), minio.GetObjectOptions{})
	if err != nil {
		return nil, b.failed("open what is derived from", source, err)
	}
	body, err := readDerived(object)
	if err = call.answered(err); errors.Is(err, ErrNotFound) {
		return nil, errors.Join(err, object.Close())
	}
	return body, errors.Join(b.failed("open what is derived from", source, err), object.Close())
}

// PutDerived writes an object.
func (b *Bucket) PutDerived(ctx context.Context, source, key string, body []byte) error {
	if err := checkDerived(source, body); err != nil {
		return err
	}
	raw := seal(body)
	call := begin(ctx, int64(len(raw)))
	defer call.end()
	_, err := b.client.PutObject(call, b.bucket, b.derived(source[:2], entryName(source, key)), bytes.NewReader(raw), int64(len(raw)), minio.PutObjectOptions{
		ContentType: "application/octet-stream", DisableMultipart: true,
	})
	return b.failed("put what is derived from", source, call.answered(err))
}

// DropDerived lists the objects, which are few, and removes them.
func (b *Bucket) DropDerived(ctx context.Context, source string) (err error) {
	if err := CheckName(source); err != nil {
		return err
	}
	call := begin(ctx, 0)
	defer call.end()
	for object := range b.client.ListObjects(call, b.bucket, minio.ListObjectsOptions{Prefix: b.derived(source[:2], source) + "-"}) {
		gone := object.Err
		if gone == nil {
			gone = b.client.RemoveObject(call, b.bucket, object.Key, minio.RemoveObjectOptions{})
		}
		err = errors.Join(err, b.failed("delete what is derived from", source, call.answered(gone)))
	}
	return err
}

// DerivedSources lists the keys of a shard.
func (b *Bucket) DerivedSources(ctx context.Context, shard string) (sources []string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for object := range b.client.ListObjects(ctx, b.bucket, minio.ListObjectsOptions{Prefix: b.derived(shard, "")}) {
		if object.Err != nil {
			return nil, b.failed("list", shard, object.Err)
		}
		sources = addSource(sources, path.Base(object.Key))
	}
	return sources, ctx.Err()
}
