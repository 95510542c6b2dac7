package edge

import (
	"strings"
	"testing"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/render"
)

// mounted places an html document on the page /about.
func mounted(t *testing.T, index string) *world {
	w := newWorld(t)
	w.change(7, compile.Delta{}, func(s *fixtureShop) {
		s.releases[render.Release{Document: 5, ID: 9}]["index.html"] = []byte(index)
		s.mounts = map[shop.CategoryID]render.Release{2: {Document: 5, ID: 9}}
	}, shop.Key{Kind: shop.KeyDesign})
	return w
}

func TestDocumentIsShownOnThePage(t *testing.T) {
	w := mounted(
		t,
		`<!doctype html><html><head><title>x</title></head><body class="dark"><img src="logo.svg" alt=""><p>hello</p></body></html>`,
	)
	body := w.get("/about").Body
	for _, want := range []string{"svc-body-5", "/_html/5/9/logo.svg", "<p>hello</p>"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := w.src.called("Bindings"); n != 0 {
		t.Error("a document without bindings asked for data")
	}
}

func TestDocumentIsCompiledOnceAndDataReadPerPage(t *testing.T) {
	w := mounted(t, `<!doctype html><html><body><p>{{ category.name }}</p></body></html>`)
	for i := range 3 {
		if body := w.get("/about").Body; !strings.Contains(body, "<p>About</p>") {
			t.Error("the binding was not filled")
		}
		w.change(7, compile.Delta{}, nil, shop.Key{Kind: shop.KeyCategory, ID: 2})
		if n := w.src.called("Bindings"); n != i+1 {
			t.Errorf("data was read %d times", n)
		}
	}
	if n := w.src.called("Document"); n != 1 {
		t.Errorf("compiled %d times", n)
	}
}

func TestPageFollowsItsDocument(t *testing.T) {
	w := mounted(t, `<!doctype html><html><body><p>one</p></body></html>`)
	if !strings.Contains(w.get("/about").Body, "<p>one</p>") {
		t.Fatal("not mounted")
	}
	w.change(7, compile.Delta{}, func(s *fixtureShop) {
		s.releases[render.Release{Document: 5, ID: 10}] = map[string][]byte{
			"index.html": []byte(`<!doctype html><html><body><p>two</p></body></html>`),
		}
		s.mounts[2] = render.Release{Document: 5, ID: 10}
	}, shop.Key{Kind: shop.KeyDocument, ID: 5})
	if !strings.Contains(w.get("/about").Body, "<p>two</p>") {
		t.Error("the old release is still shown")
	}
}

func TestPageIsShownWithoutAMissingDocument(t *testing.T) {
	w := mounted(t, "")
	w.change(
		7, compile.Delta{}, func(s *fixtureShop) { s.mounts[2] = render.Release{Document: 5, ID: 99} },
		shop.Key{Kind: shop.KeyDocument, ID: 5},
	)
	w.expect("page", w.get("/about"), 200)
}

func TestZonesUseTheProgramWithoutScripts(t *testing.T) {
	w := newWorld(t)
	s := w.edge
	c, err := s.program(t.Context(), s.tenants.get(7), render.Release{Document: 5, ID: 9}, false)
	if err != nil {
		t.Fatal(err)
	}
	page := &render.ZonePage{}
	page.Layout.Header = []render.Block{{Kind: render.BlockHTML}}
	content := render.Content{Page: page, Mounts: []render.Mount{{Release: render.Release{Document: 5, ID: 9}, Into: &page.Layout.Header[0]}}}
	w.get("/about")
	tenant := s.tenants.peek(7)
	if _, err := s.mount(t.Context(), tenant, tenant.state.Load(), render.PageRequest{Kind: render.WantZone}, content); err != nil {
		t.Fatal(err)
	}
	got := page.Layout.Header[0].Fragment(nil)
	if want := c.Guarded.AppendTo(nil, nil); string(got) != string(want) {
		t.Errorf("got %q", got)
	}
}
