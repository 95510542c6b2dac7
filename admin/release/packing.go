package release

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"vitrine/compile/pack"
	"vitrine/compile/release"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	releasedb "vitrine/internal/store/release"
)

// maxPacked is the largest file that is compressed, because its bytes are held in memory
// meanwhile.
const maxPacked = 10 << 20

// packFiles creates the br and gzip forms of the files of a site folder that have none yet, using
// all processors, and stores them together in one object: two thousand small objects would cost
// more than the compression. Nothing refers to the object until the transaction records it, so it
// is collected if the publish fails.
func (rs *Releases) packFiles(
	ctx context.Context, r store.Reader, kind shop.DocumentKind, files []release.File,
) ([]releasedb.PackedFile, error) {
	if kind != shop.SiteFolder {
		return nil, nil
	}
	todo, err := rs.unpacked(ctx, r, files)
	if err != nil || len(todo) == 0 {
		return nil, err
	}
	temp, err := os.CreateTemp("", "vitrine-packed-*")
	if err != nil {
		return nil, err
	}
	b := bundle{file: temp}
	err = os.Remove(temp.Name()) // the file is deleted with its descriptor, however the process ends
	if err == nil {
		err = b.fill(ctx, rs, todo)
	}
	if err == nil {
		err = b.keep(ctx, rs)
	}
	return b.forms, errors.Join(err, temp.Close())
}

// unpacked returns the distinct contents worth compressing that have no compressed form yet.
func (rs *Releases) unpacked(ctx context.Context, r store.Reader, files []release.File) (todo []release.File, err error) {
	var hashes []string
	wanted := map[string]release.File{}
	for _, f := range files {
		if f.Size >= pack.MinSize && f.Size <= maxPacked && release.Compressible(f.MIME) {
			wanted[f.SHA256] = f
			hashes = append(hashes, f.SHA256)
		}
	}
	known, err := releasedb.PackedFiles(ctx, r, hashes)
	for _, form := range known {
		delete(wanted, form.SHA256)
	}
	for _, f := range wanted {
		todo = append(todo, f)
	}
	return todo, err
}

// bundle is a file with concatenated compressed forms.
type bundle struct {
	mu    sync.Mutex
	file  *os.File
	size  int64
	forms []releasedb.PackedFile
}

func (b *bundle) fill(ctx context.Context, rs *Releases, todo []release.File) error {
	group, ctx := errgroup.WithContext(ctx)
	queue := make(chan release.File, len(todo))
	for _, f := range todo {
		queue <- f
	}
	close(queue)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() error {
			p := pack.New(pack.File)
			for f := range queue {
				if err := b.pack(ctx, rs, p, f); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

func (b *bundle) pack(ctx context.Context, rs *Releases, p *pack.Packer, f release.File) error {
	body, err := rs.blobs.ReadAll(ctx, f.SHA256, maxPacked)
	if err != nil {
		return err
	}
	for _, coding := range [...]pack.Coding{pack.Brotli, pack.Gzip} {
		form, err := p.Encode(body, coding)
		if err != nil {
			return err
		}
		if err := b.add(f.SHA256, coding, form); err != nil {
			return err
		}
	}
	return nil
}

func (b *bundle) add(sha string, coding pack.Coding, form []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forms = append(b.forms, releasedb.PackedFile{SHA256: sha, Coding: string(coding), Start: b.size, Size: int64(len(form))})
	b.size += int64(len(form))
	_, err := b.file.Write(form)
	return err
}

// keep stores the bundle and records its hash in the forms.
func (b *bundle) keep(ctx context.Context, rs *Releases) error {
	if b.size == 0 {
		return nil
	}
	if _, err := b.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	ref, err := rs.blobs.Put(ctx, b.file, b.size)
	for i := range b.forms {
		if b.forms[i].Size > 0 {
			b.forms[i].Bundle = ref.SHA256
		}
	}
	return err
}
