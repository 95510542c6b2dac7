// Package source serves the edge from PostgreSQL and the blob store. It is the production
// implementation of edge.Source; the tests of the edge have another one.
//
// The data that decides addresses is read completely once (Load) and then by the keys of
// changes (Delta): package load. The contents of a page are read when the page is rendered
// (Content): package compose.
package source

import (
	"context"
	"errors"
	"io"
	"time"

	"golang.org/x/sync/semaphore"

	"vitrine/compile"
	"vitrine/compile/release"
	"vitrine/edge"
	"vitrine/edge/count"
	"vitrine/internal/blob"
	"vitrine/internal/catalogue"
	"vitrine/internal/load"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/draft"
	"vitrine/internal/store/media"
	"vitrine/internal/store/redirect"
	releasedb "vitrine/internal/store/release"
	"vitrine/internal/store/visit"
	"vitrine/internal/visitstats"
)

// Source implements edge.Source.
type Source struct {
	store *store.Store
	blobs blob.Store
	hosts shop.Storefronts
	draft bool // shops are read in their drafts

	now        func() time.Time
	catalogues *catalogue.Catalogues
	hashing    *semaphore.Weighted // limits concurrent PIN checks
}

// maxPINChecks is how many PINs are compared at once: each takes 19 MiB and 20 ms.
const maxPINChecks = 2

var _ edge.Source = (*Source)(nil)

// New returns a source with the database, the blobs and the template of shop addresses.
func New(s *store.Store, blobs blob.Store, hosts shop.Storefronts) *Source {
	return &Source{
		store: s, blobs: blobs, hosts: hosts, now: time.Now, catalogues: catalogue.NewCatalogues(hosts, time.Now),
		hashing: semaphore.NewWeighted(maxPINChecks),
	}
}

// Host implements edge.Source.
func (s *Source) Host(ctx context.Context, host string) (shop.CompanyID, error) {
	company, err := companydb.CompanyByHost(ctx, s.store, s.hosts, host)
	if !errors.Is(err, store.ErrShopNotFound) {
		return company.ID, err
	}
	moved, gone, err := companydb.HostMoved(ctx, s.store, s.hosts, host)
	if gone {
		err = &edge.MovedError{Origin: moved.Origin}
	}
	return 0, err
}

// Load implements edge.Source.
func (s *Source) Load(ctx context.Context, id shop.CompanyID) (in compile.Input, version int64, err error) {
	// A shop that the replica lacks may be new.
	err = s.store.Anywhere(s.in(ctx, id), id, func(error) bool { return false }, func(ctx context.Context) error {
		s.store.Touch(ctx, id)
		return s.store.Snapshot(ctx, id, func(r store.Reader) error {
			company, err := companydb.Info(ctx, r)
			if err != nil {
				return err
			}
			version = company.Version
			if s.draft {
				if version, err = draft.Version(ctx, r); err != nil {
					return err
				}
			}
			if in, err = load.Input(ctx, r, company, s.hosts); s.draft {
				in.Policies, in.Ahead = nil, nil // previews are for staff of the shop, who see it whole
			}
			return err
		})
	})
	return in, version, notFound(err)
}

// Delta implements edge.Source: it reads the rows that the changed keys name.
func (s *Source) Delta(ctx context.Context, id shop.CompanyID, since int64) (d edge.Delta, err error) {
	if s.draft {
		d, err = draftDelta(ctx, s.store.Shop(id), since)
		return d, notFound(err)
	}
	s.store.Touch(ctx, id)
	err = s.store.Snapshot(ctx, id, func(r store.Reader) error {
		if d.Keys, d.Version, d.Reload, err = r.Changes(ctx, since); err != nil || d.Reload {
			return err
		}
		if d.Version == since { // no changes, or the shop was deleted
			if _, err = companydb.GetGate(ctx, r); err != nil {
				return err
			}
		}
		d.Delta, err = load.Delta(ctx, r, d.Keys, s.hosts)
		return err
	})
	return d, notFound(err)
}

// Follow implements edge.Source.
func (s *Source) Follow(ctx context.Context, since edge.Moment) (edge.Followed, error) {
	moment, _ := since.(store.Moment)
	f, err := s.store.Follow(ctx, moment)
	return edge.Followed{Now: f.Now, Versions: f.Versions, Lag: f.Lag, Reset: f.Reset}, err
}

// CheckPIN implements edge.Source.
func (s *Source) CheckPIN(ctx context.Context, id shop.CompanyID, pin string) (bool, error) {
	company, err := companydb.Info(ctx, s.store.Shop(id))
	if err != nil {
		return false, notFound(err)
	}
	if !company.Closed {
		return false, nil
	}
	return s.compare(ctx, company.PINHash, pin)
}

// compare compares a PIN with a hash once the semaphore admits it.
func (s *Source) compare(ctx context.Context, hash, pin string) (bool, error) {
	if err := s.hashing.Acquire(ctx, 1); err != nil {
		return false, err
	}
	defer s.hashing.Release(1)
	return secret.CheckPassword(hash, pin), nil
}

// Misses implements count.Store.
func (s *Source) Misses(ctx context.Context, batch []count.Miss) error {
	byShop := map[shop.CompanyID][]redirect.Miss{}
	for _, m := range batch {
		byShop[m.Company] = append(byShop[m.Company], redirect.Miss{Path: m.Path, Hits: shop.Int64(m.Hits), LastHitAt: m.Last})
	}
	var failed error
	for id, list := range byShop {
		failed = errors.Join(failed, redirect.AddMisses(ctx, s.store, id, list))
	}
	return failed
}

// Hits implements count.Store.
func (s *Source) Hits(ctx context.Context, batch []count.Hit) error {
	rows := make([]redirect.RuleHit, len(batch))
	for i, h := range batch {
		rows[i] = redirect.RuleHit{Company: h.Company, Rule: h.Rule, Hits: h.Hits, Last: h.Last}
	}
	return redirect.AddHits(ctx, s.store, rows)
}

// Views implements count.Store.
func (s *Source) Views(ctx context.Context, batch []count.View) error {
	rows := make([]catalog.ArticleViews, len(batch))
	for i, v := range batch {
		rows[i] = catalog.ArticleViews{Company: v.Company, Article: v.Article, Views: v.Views}
	}
	return catalog.AddViews(ctx, s.store, rows)
}

// VisitSalt implements count.Store.
func (s *Source) VisitSalt(ctx context.Context, day shop.Day) ([]byte, error) {
	return visit.Salt(ctx, s.store, day)
}

// Visits implements count.Store.
func (s *Source) Visits(ctx context.Context, batch visitstats.Batch) error {
	return visit.Add(ctx, s.store, batch)
}

// ReleaseFile implements edge.Source.
func (s *Source) ReleaseFile(
	ctx context.Context, id shop.CompanyID, doc shop.DocumentID, rel shop.ReleaseID, path string,
) (edge.File, error) {
	f, err := releasedb.GetReleaseFile(s.in(ctx, id), s.store.Shop(id), doc, rel, path)
	return s.file(f.MIME, f.SHA256, f.Size), notFound(err)
}

// MediaFile implements edge.Source.
func (s *Source) MediaFile(ctx context.Context, id shop.CompanyID, path string) (edge.File, error) {
	f, err := media.FileByPath(ctx, s.store.Shop(id), path)
	file := s.file(f.MIME, f.SHA256, f.Size)
	file.Moved = f.Path != path
	return file, notFound(err)
}

func (s *Source) file(mime, sha string, size int64) edge.File {
	return edge.File{MIME: mime, SHA256: sha, Size: size, Open: func(ctx context.Context) (io.ReadSeekCloser, error) {
		body, _, err := s.blobs.Open(ctx, sha)
		return body, err
	}}
}

// Document implements edge.Source.
func (s *Source) Document(ctx context.Context, id shop.CompanyID, doc shop.DocumentID, rel shop.ReleaseID) (edge.Document, error) {
	ctx = s.in(ctx, id)
	reader := s.store.Shop(id)
	if _, err := releasedb.GetRelease(ctx, reader, doc, rel); err != nil {
		return edge.Document{}, notFound(err)
	}
	rows, err := releasedb.ReleaseFiles(ctx, reader, rel)
	if err != nil {
		return edge.Document{}, err
	}
	d := edge.Document{}
	byPath := map[string]string{}
	for _, f := range rows {
		if f.Pending {
			continue
		}
		d.Files = append(d.Files, release.File{Path: f.Path, SHA256: f.SHA256, Size: f.Size, MIME: f.MIME})
		byPath[f.Path] = f.SHA256
	}
	d.Read = func(ctx context.Context, path string) ([]byte, error) {
		sha, ok := byPath[path]
		if !ok {
			return nil, shop.ErrNotFound
		}
		return s.blobs.ReadAll(ctx, sha, release.Document.File)
	}
	d.Index, err = d.Read(ctx, "index.html")
	return d, err
}

// notFound converts the refusals of the store for missing rows to the one that the edge
// handles.
func notFound(err error) error {
	if r, ok := shop.AsRefusal(err); ok && r.Class == shop.NotFound {
		return shop.ErrNotFound
	}
	return err
}
