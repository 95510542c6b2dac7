package edge

import (
	"context"
	"strings"
	"sync"

	"vitrine/internal/lru"
	"vitrine/render"
)

// manifest holds the files of a release of a site folder by their paths.
type manifest struct {
	files       map[string]File
	directories map[string]bool // paths without a trailing slash
}

func newManifest(files map[string]File) *manifest {
	m := &manifest{files: files, directories: map[string]bool{}}
	for path := range files {
		for cut := strings.LastIndexByte(path, '/'); cut > 0; cut = strings.LastIndexByte(path[:cut], '/') {
			if m.directories[path[:cut]] {
				break
			}
			m.directories[path[:cut]] = true
		}
	}
	return m
}

const (
	maxManifestFiles = 200_000 // in all shops; a file takes about half a kilobyte
	manifestOverhead = 20      // overhead of a release, in files
)

// manifests caches the file lists of releases, which never change.
type manifests struct {
	mu    sync.Mutex
	byKey *lru.Weighted[programKey, *manifest] // weighted by files
}

func (ms *manifests) init() { ms.byKey = lru.New[programKey, *manifest](maxManifestFiles) }

func (ms *manifests) find(key programKey) *manifest {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	m, _ := ms.byKey.Get(key)
	return m
}

func (ms *manifests) put(key programKey, m *manifest) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	ms.byKey.Put(key, m, int64(len(m.files)+manifestOverhead))
}

// manifest returns the files of a release. Concurrent callers share one read.
func (s *Server) manifest(ctx context.Context, t *tenant, r render.Release) (*manifest, error) {
	key := programKey{company: t.company, Release: r}
	if m := s.manifests.find(key); m != nil {
		return m, nil
	}
	found, err := s.flights.Do(ctx, "folder "+t.company.String()+"/"+r.Document.String()+"/"+r.ID.String(), func() (any, error) {
		files, err := t.source.Folder(ctx, t.company, r.Document, r.ID)
		if err != nil {
			return nil, err
		}
		m := newManifest(files)
		s.manifests.put(key, m)
		return m, nil
	})
	if err != nil {
		return nil, err
	}
	return found.(*manifest), nil
}
