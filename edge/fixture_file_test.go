package edge

import (
	"context"
	"slices"
	"strconv"
	"time"

	"vitrine/compile"
	"vitrine/compile/feed"
	"vitrine/internal/shop"
)

// fixtureFiles holds the site files of shop 7.
type fixtureFiles struct {
	bodies map[shop.SiteFileID]SiteFile
	copies map[shop.SiteFileID]*FileCopy
	builds map[shop.SiteFileID][]FileBuild
	lost   int // newest products missing from the catalogue without an error

	rendering func()         // called during each render, without the lock
	saved     chan FileBuild // receives each build; nil: not used
}

func (f *fixture) SiteFile(_ context.Context, _ shop.CompanyID, id shop.SiteFileID) (SiteFile, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("SiteFile"); err != nil {
		return SiteFile{}, err
	}
	file, ok := f.files.bodies[id]
	if !ok {
		return SiteFile{}, shop.ErrNotFound
	}
	return file, nil
}

func (f *fixture) Catalogue(_ context.Context, company shop.CompanyID) (Catalogue, error) {
	if f.files.rendering != nil {
		f.files.rendering()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Catalogue"); err != nil {
		return Catalogue{}, err
	}
	s := f.shops[company]
	contents := feed.Contents{Shop: feed.Shop{Name: s.in.Shop.Name, URL: s.in.Shop.Origin, Currency: "EUR"}}
	for _, p := range s.in.Products[:len(s.in.Products)-f.files.lost] {
		name := s.names[p.ID]
		contents.Items = append(contents.Items, feed.Item{Product: feed.Product{ID: int64(p.ID), Name: name, Price: 90}})
	}
	return Catalogue{Catalogue: feed.NewCatalogue(contents), Version: s.version, Changed: time.Unix(1_800_000_000, 0)}, nil
}

func (f *fixture) RenderPlace(context.Context, shop.CompanyID) (func(), error) {
	return func() {}, nil
}

func (f *fixture) LastCopy(_ context.Context, _ shop.CompanyID, id shop.SiteFileID, most int64) (*FileCopy, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.files.copies[id]
	if c != nil && max(c.Size, int64(len(c.Packed))) > most {
		told := *c
		told.Packed = nil
		c = &told
	}
	return c, f.call("LastCopy")
}

func (f *fixture) SaveBuild(_ context.Context, _ shop.CompanyID, id shop.SiteFileID, b FileBuild) error {
	f.mu.Lock()
	if f.files.builds == nil {
		f.files.builds, f.files.copies = map[shop.SiteFileID][]FileBuild{}, map[shop.SiteFileID]*FileCopy{}
	}
	f.files.builds[id] = append(f.files.builds[id], b)
	if b.Copy != nil {
		f.files.copies[id] = b.Copy
	}
	err := f.call("SaveBuild")
	saved := f.files.saved
	f.mu.Unlock()
	if saved != nil {
		saved <- b
	}
	return err
}

// putFile saves a site file of shop 7 and notifies the edge, as the API does.
func (w *world) putFile(id shop.SiteFileID, category shop.CategoryID, name, body string) {
	w.t.Helper()
	var rows []compile.SiteFile
	var version int64
	w.src.mu.Lock()
	rows = slices.Clone(w.src.shops[7].in.Files)
	w.src.mu.Unlock()
	at := slices.IndexFunc(rows, func(f compile.SiteFile) bool { return f.ID == id })
	if at < 0 {
		rows, at = append(rows, compile.SiteFile{ID: id}), len(rows)
	}
	version = rows[at].Version + 1
	rows[at] = compile.SiteFile{ID: id, Category: category, Name: name, Published: true, InSitemap: true, Version: version}
	w.files(rows, func() {
		if w.src.files.bodies == nil {
			w.src.files.bodies = map[shop.SiteFileID]SiteFile{}
		}
		w.src.files.bodies[id] = SiteFile{Name: name, Body: body, Version: version}
	})
}

func (w *world) files(rows []compile.SiteFile, edit func()) {
	w.t.Helper()
	v := w.src.commit(7, compile.Delta{Files: rows}, func(*fixtureShop) {
		if edit != nil {
			edit()
		}
	}, shop.Key{Kind: shop.KeyFiles})
	if err := w.edge.Changed(context.Background(), 7, v); err != nil {
		w.t.Fatal(err)
	}
}

// priceList lists the names of all products, one per line.
const priceList = "{{range products}}{{.Name}}\n{{end}}"

func fileAt(id shop.SiteFileID) string { return "/_file/" + strconv.FormatInt(int64(id), 10) }
