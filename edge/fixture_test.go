package edge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine/compile"
	"vitrine/compile/markup"
	"vitrine/compile/pack"
	"vitrine/compile/release"
	"vitrine/edge/count"
	"vitrine/edge/count/counttest"
	"vitrine/internal/compose"
	"vitrine/internal/shop"
	"vitrine/render"
)

var errAway = errors.New("the database is unavailable")

// fixture is an in-memory Source. It behaves as the database does: readers see a change
// from its commit on, and the edge is notified after it.
type fixture struct {
	mu     sync.Mutex
	shops  map[shop.CompanyID]*fixtureShop
	away   bool
	resets int
	lag    time.Duration
	calls  map[string]int

	// before and after run, without the lock, around the reading of a page.
	before, after func(render.PageRequest)
	beforeFollow  func()            // runs without the lock before a poll
	afterHost     func(host string) // after the owner of a host was read

	files fixtureFiles

	misses []count.Miss
	hits   []count.Hit
	views  []count.View
	visits counttest.Visits
}

type fixtureShop struct {
	in       compile.Input
	version  int64
	changes  []fixtureChange
	names    map[shop.ProductID]string
	texts    map[shop.CategoryID]string
	mounts   map[shop.CategoryID]render.Release
	releases map[render.Release]map[string][]byte
	media    map[string][]byte
	types    map[string]string // of files of releases, as publishing found them
	pin      string
	forms    map[shop.FormID]render.Form
	words    map[string]shop.GrantID // passwords of policies
	sessions map[string]Customer
}

type fixtureChange struct {
	version int64
	keys    []shop.Key
	delta   compile.Delta
}

// newFixture has two shops: 7 with pages, and 8 with a release with the same ids as in 7;
// nothing of one may appear in the other.
func newFixture() *fixture {
	return &fixture{calls: map[string]int{}, shops: map[shop.CompanyID]*fixtureShop{
		7: {
			version: 1,
			in: compile.Input{
				Shop: compile.Shop{
					ID: 7, Slug: "shop", Name: "Shop & Co", Currency: "EUR", Origin: "http://shop.localhost:8080",
					Hosts: []string{"shop.localhost", "www.shop.localhost"}, MissFallback: false,
				},
				Categories: []compile.Category{
					{ID: 1, Slug: "shoes", Name: "Shoes", Type: compile.TypeProduct, Published: true, ShowMenu: true},
					{ID: 2, Slug: "about", Name: "About", Type: compile.TypePage, Published: true, ShowMenu: true},
					{ID: 3, Slug: "news", Name: "News", Type: compile.TypeNews, Published: true},
					{ID: 4, Slug: "hidden", Name: "Hidden", Type: compile.TypePage},
				},
				Products: []compile.Product{
					{ID: 11, Category: 1, Slug: "boot", Published: true},
					{ID: 12, Category: 1, Slug: "clog", Published: true},
				},
				Articles: []compile.Article{{ID: 21, Category: 3, Slug: "opening", Published: true}},
			},
			names: map[shop.ProductID]string{11: "Boot", 12: "Clog"},
			texts: map[shop.CategoryID]string{2: strings.Repeat("We have sold shoes since 1912. ", 60)},
			releases: map[render.Release]map[string][]byte{
				{Document: 5, ID: 9}: {
					"index.html": []byte("<p>hello</p>"), "css/site.css": bytes.Repeat([]byte("p{color:red}\n"), 60),
					"logo.svg": []byte("<svg/>"), "ten.bin": []byte("0123456789"), "big.bin": bytes.Repeat([]byte("0123456789"), 200_000),
				},
			},
			media: map[string][]byte{
				"pics/0b6f3a52-7d0c-4c53-9a5e-1d2f3c4b5a69.webp": []byte("webp bytes"),
				"pics/plain.svg": []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"),
				"pics/plain.png": []byte("png bytes"),
			},
		},
		8: {
			version:  1,
			in:       compile.Input{Shop: compile.Shop{ID: 8, Slug: "other", Name: "Other", Currency: "EUR", Origin: "https://other.test", Hosts: []string{"other.test"}}},
			releases: map[render.Release]map[string][]byte{{Document: 5, ID: 10}: {"index.html": []byte("<p>other</p>")}},
			pin:      "4711",
		},
	}}
}

func (f *fixture) call(name string) error {
	f.calls[name]++
	if f.away {
		return errAway
	}
	return nil
}

func (f *fixture) called(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[name]
}

func (f *fixture) setAway(away bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.away = away
}

// commit changes a shop and returns the version that the store would announce.
func (f *fixture) commit(company shop.CompanyID, d compile.Delta, edit func(*fixtureShop), keys ...shop.Key) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.shops[company]
	if edit != nil {
		edit(s)
	}
	if d.Shop != nil {
		s.in.Shop = *d.Shop
	}
	if d.Categories != nil {
		s.in.Categories = d.Categories
	}
	if d.Rules != nil {
		s.in.Rules = d.Rules
	}
	if d.Policies != nil {
		s.in.Policies = d.Policies
	}
	if d.Ahead != nil {
		s.in.Ahead = d.Ahead
	}
	if d.Folders != nil {
		s.in.Folders = d.Folders
	}
	if d.Files != nil {
		s.in.Files = d.Files
	}
	s.in.Products = slices.Concat(s.in.Products, d.Products)
	s.version++
	s.changes = append(s.changes, fixtureChange{s.version, keys, d})
	return s.version
}

func (f *fixture) Host(_ context.Context, host string) (shop.CompanyID, error) {
	id, err := f.host(host)
	if f.afterHost != nil {
		f.afterHost(host)
	}
	return id, err
}

func (f *fixture) host(host string) (shop.CompanyID, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Host"); err != nil {
		return 0, err
	}
	for id, s := range f.shops {
		if slices.Contains(s.in.Shop.Hosts, host) {
			return id, nil
		}
	}
	return 0, nil
}

func (f *fixture) Load(_ context.Context, company shop.CompanyID) (compile.Input, int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Load"); err != nil {
		return compile.Input{}, 0, err
	}
	s := f.shops[company]
	if s == nil {
		return compile.Input{}, 0, shop.ErrNotFound
	}
	return s.in, s.version, nil
}

func (f *fixture) Delta(_ context.Context, company shop.CompanyID, since int64) (Delta, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Delta"); err != nil {
		return Delta{}, err
	}
	s := f.shops[company]
	if s == nil {
		return Delta{}, shop.ErrNotFound
	}
	out := Delta{Version: s.version}
	for _, c := range s.changes {
		if c.version <= since {
			continue
		}
		if len(c.keys) == 0 {
			return Delta{Reload: true}, nil
		}
		out.Keys = append(out.Keys, c.keys...)
		out.Products = append(out.Products, c.delta.Products...)
		if c.delta.Shop != nil {
			out.Shop = c.delta.Shop
		}
		if c.delta.Categories != nil {
			out.Categories = c.delta.Categories
		}
		if c.delta.Rules != nil {
			out.Rules = c.delta.Rules
		}
		if c.delta.Ahead != nil {
			out.Ahead = c.delta.Ahead
		}
		if c.delta.Folders != nil {
			out.Folders = c.delta.Folders
		}
		if c.delta.Files != nil {
			out.Files = c.delta.Files
		}
		if c.delta.Policies != nil {
			out.Policies = c.delta.Policies
		}
	}
	return out, nil
}

// Follow reports the versions of all shops, unless it has been reset; a moment is the number of
// resets.
func (f *fixture) Follow(_ context.Context, since Moment) (Followed, error) {
	if f.beforeFollow != nil {
		f.beforeFollow()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	out := Followed{Now: f.resets, Reset: since != f.resets, Versions: map[shop.CompanyID]int64{}}
	if !out.Reset {
		for id, s := range f.shops {
			out.Versions[id] = s.version
		}
		out.Lag = f.lag
	}
	return out, f.call("Follow")
}

// goBack is a database that lost writes, and then got others.
func (f *fixture) goBack(edit func(shops map[shop.CompanyID]*fixtureShop)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.resets++
	for _, s := range f.shops {
		s.version += 1 << 40
		s.changes = []fixtureChange{{version: s.version}}
	}
	edit(f.shops)
}

func (f *fixture) Content(_ context.Context, site *compile.Site, want render.PageRequest) (render.Content, error) {
	if f.before != nil {
		f.before(want)
	}
	content, err := f.content(site, want)
	if c, ok := content.Page.(*render.TextPage); ok && want.Unsaved != "" {
		c.Category.Description = "With " + want.Unsaved
	}
	if err == nil {
		compose.Frame(content.Page, site.ViewFor(want.Opened), sectionOf(want.Page), want)
	}
	if f.after != nil {
		f.after(want)
	}
	return content, err
}

func (f *fixture) content(site *compile.Site, want render.PageRequest) (render.Content, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Content"); err != nil {
		return render.Content{}, err
	}
	s := f.shops[site.Shop().ID]
	switch {
	case want.Kind == render.WantMissing:
		return render.Content{Page: &render.NotFoundPage{}}, nil
	case want.Kind == render.WantForm:
		return render.Content{Page: &render.FormPage{}, Keys: []shop.Key{{Kind: shop.KeyDesign}}}, nil
	case want.Kind == render.WantZone:
		return render.Content{Page: &render.ZonePage{Zone: want.Zone}, Keys: []shop.Key{{Kind: shop.KeyDesign}}}, nil
	case want.Kind == render.WantSearch, want.Kind == render.WantSuggest:
		return s.search(want)
	case want.Kind == render.WantRemark && site.ViewFor(want.Opened).IsHidden(want.Page):
		return render.Content{}, shop.ErrNotFound
	case want.Kind == render.WantRemark:
		return render.Content{Page: &render.RemarkPage{}}, nil
	case want.Page.Entity == compile.EntityProduct:
		return s.product(shop.ProductID(want.Page.ID), want.Variant)
	case want.Page.Entity == compile.EntityArticle:
		page := &render.ArticlePage{Article: render.Article{ArticleCard: render.ArticleCard{ID: 21, Title: "Opening"}}}
		return render.Content{Page: page, Keys: []shop.Key{{Kind: shop.KeyArticle, ID: 21}}}, nil
	case want.Page.Entity == compile.EntityCategory:
		c, err := s.category(shop.CategoryID(want.Page.ID), want.Number)
		if err == nil {
			f := render.FrameOf(c.Page)
			f.Narrow, f.Once = want.Narrow, !want.Narrow.Choices().Shared()
		}
		return c, err
	}
	return render.Content{Page: &render.Home{}, Keys: []shop.Key{{Kind: shop.KeyProducts}}}, nil
}

// search finds products by their names, as the database does.
func (s *fixtureShop) search(want render.PageRequest) (render.Content, error) {
	var cards []render.ProductCard
	keys := []shop.Key{{Kind: shop.KeyProducts}}
	for id, name := range s.names {
		keys = append(keys, shop.Key{Kind: shop.KeyProduct, ID: int64(id)})
		if want.Search == "" || strings.Contains(strings.ToLower(name), strings.ToLower(want.Search)) {
			cards = append(cards, render.ProductCard{ID: id, Name: name, Path: "/shoes/" + strings.ToLower(name), Price: 90})
		}
	}
	if want.Kind == render.WantSuggest {
		return render.Content{Page: &render.Suggestions{Frame: render.Frame{Once: len(cards) == 0}, Products: cards}, Keys: keys}, nil
	}
	f := render.Frame{Nothing: len(cards) == 0, Narrow: want.Narrow, Once: !want.Narrow.Choices().Shared()}
	return render.Content{Page: &render.SearchPage{Frame: f, Words: want.Search, Products: cards, Total: len(cards)}, Keys: keys}, nil
}

func (s *fixtureShop) product(id shop.ProductID, variant string) (render.Content, error) {
	name, ok := s.names[id]
	if !ok || variant != "" && variant != "RED 7" {
		return render.Content{}, shop.ErrNotFound
	}
	page := &render.ProductPage{
		Product: render.Product{ProductCard: render.ProductCard{ID: id, Name: strings.TrimSpace(name + " " + variant), Price: 90}},
	}
	return render.Content{Page: page, Keys: []shop.Key{{Kind: shop.KeyProduct, ID: int64(id)}}}, nil
}

func (s *fixtureShop) category(id shop.CategoryID, number int) (render.Content, error) {
	keys := []shop.Key{{Kind: shop.KeyCategory, ID: int64(id)}, {Kind: shop.KeyProducts}}
	about := render.Category{Name: "Section", Description: s.texts[id]}
	switch id {
	case 1:
		if number > 2 {
			return render.Content{}, shop.ErrNotFound
		}
		return render.Content{Page: &render.Listing{Category: about, Paging: render.Paging{Current: number, Pages: 2}}, Keys: keys}, nil
	case 3:
		return render.Content{Page: &render.Rubric{Category: about}, Keys: keys}, nil
	}
	page := &render.TextPage{Category: about}
	content := render.Content{Page: page, Keys: keys}
	if r, ok := s.mounts[id]; ok {
		page.Layout.Body = []render.Block{{Kind: render.BlockHTML}}
		content.Mounts = []render.Mount{{Release: r, Into: &page.Layout.Body[0]}}
	}
	return content, nil
}

// sectionOf is the category that a page of the fixture stands in.
func sectionOf(page compile.PageRef) shop.CategoryID {
	switch page.Entity {
	case compile.EntityProduct:
		return 1
	case compile.EntityArticle:
		return 3
	}
	return shop.CategoryID(page.ID)
}

func (f *fixture) Bindings(context.Context, *compile.Site, render.PageRequest, markup.Needs) (*markup.Data, []shop.Key, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &markup.Data{Category: &markup.Category{ID: 2, Name: "About"}}, nil, f.call("Bindings")
}

func (f *fixture) Document(_ context.Context, company shop.CompanyID, doc shop.DocumentID, id shop.ReleaseID) (Document, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Document"); err != nil {
		return Document{}, err
	}
	files := f.shops[company].releases[render.Release{Document: doc, ID: id}]
	if files == nil {
		return Document{}, shop.ErrNotFound
	}
	out := Document{Index: files["index.html"], Read: func(_ context.Context, path string) ([]byte, error) { return files[path], nil }}
	for path, body := range maps.All(files) {
		out.Files = append(out.Files, release.File{Path: path, Size: int64(len(body))})
	}
	return out, nil
}

func (f *fixture) ReleaseFile(
	_ context.Context, company shop.CompanyID, doc shop.DocumentID, id shop.ReleaseID, path string,
) (File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("ReleaseFile"); err != nil {
		return File{}, err
	}
	body, ok := f.shops[company].releases[render.Release{Document: doc, ID: id}][path]
	if !ok {
		return File{}, shop.ErrNotFound
	}
	file := fileOf(path, body)
	if found := f.shops[company].types[path]; found != "" {
		file.MIME = found
	}
	return file, nil
}

func (f *fixture) Folder(_ context.Context, company shop.CompanyID, doc shop.DocumentID, id shop.ReleaseID) (map[string]File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Folder"); err != nil {
		return nil, err
	}
	files := f.shops[company].releases[render.Release{Document: doc, ID: id}]
	if files == nil {
		return nil, shop.ErrNotFound
	}
	out := map[string]File{}
	for path, body := range files {
		out[path] = packedFile(path, body)
	}
	return out, nil
}

// packedFile is a file with the compressed forms made at publish.
func packedFile(path string, body []byte) File {
	file := fileOf(path, body)
	if !release.Compressible(file.MIME) || len(body) < pack.MinSize {
		return file
	}
	for _, coding := range []pack.Coding{pack.Gzip, pack.Brotli} {
		form, err := pack.Encode(body, coding, pack.File)
		if err != nil {
			panic(err)
		}
		file.SetPacked(string(coding), Representation{Size: int64(len(form)), Open: fileOf(path, form).Open})
	}
	return file
}

func (f *fixture) MediaFile(_ context.Context, company shop.CompanyID, path string) (File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("MediaFile"); err != nil {
		return File{}, err
	}
	current := strings.Replace(path, ".png", ".webp", 1) // the announced name
	body, ok := f.shops[company].media[path]
	if moved, found := f.shops[company].media[current]; !ok && found {
		file := fileOf(current, moved)
		file.Moved = true
		return file, nil
	}
	if !ok {
		return File{}, shop.ErrNotFound
	}
	return fileOf(path, body), nil
}

func fileOf(path string, body []byte) File {
	return File{
		MIME: release.MIME(path), SHA256: shaOf(body), Size: int64(len(body)),
		Open: func(context.Context) (io.ReadSeekCloser, error) { return seekCloser{bytes.NewReader(body)}, nil },
	}
}

func shaOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

type seekCloser struct{ *bytes.Reader }

func (seekCloser) Close() error { return nil }

func (f *fixture) Form(_ context.Context, company shop.CompanyID, id shop.FormID) (render.Form, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.call("Form"); err != nil {
		return render.Form{}, err
	}
	form, ok := f.shops[company].forms[id]
	if !ok {
		return render.Form{}, shop.ErrNotFound
	}
	return form, nil
}

// Other processes try no PINs.
func (f *fixture) GuessPIN(context.Context, PINGuess) (time.Duration, error) { return 0, nil }
func (f *fixture) ForgivePIN(context.Context, PINGuess, time.Time) error     { return nil }

func (f *fixture) CheckPIN(_ context.Context, company shop.CompanyID, pin string) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return pin == f.shops[company].pin, f.call("CheckPIN")
}

func (f *fixture) EnterPolicy(_ context.Context, company shop.CompanyID, policy shop.PolicyID, password string) (shop.GrantID, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.shops[company].words[policy.String()+" "+password], f.call("EnterPolicy")
}

func (f *fixture) DocumentPages(_ context.Context, company shop.CompanyID, doc shop.DocumentID) (pages []compile.PageRef, everywhere bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, r := range f.shops[company].mounts {
		if r.Document == doc {
			pages = append(pages, compile.PageRef{Entity: compile.EntityCategory, ID: int64(id)})
		}
	}
	return pages, false, f.call("DocumentPages")
}

func (f *fixture) Customer(_ context.Context, company shop.CompanyID, session string) (Customer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.shops[company].sessions[session], f.call("Customer")
}

func (f *fixture) Misses(_ context.Context, batch []count.Miss) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.misses = append(f.misses, batch...)
	return f.call("Misses")
}

// takeMisses returns the misses received since the last call.
func (f *fixture) takeMisses() []count.Miss {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.misses
	f.misses = nil
	return taken
}

func (f *fixture) Views(_ context.Context, batch []count.View) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.views = append(f.views, batch...)
	return f.call("Views")
}

func (f *fixture) Hits(_ context.Context, batch []count.Hit) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hits = append(f.hits, batch...)
	return f.call("Hits")
}
