package edge

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/compile"
	"vitrine/internal/shop"
)

const (
	asked  = "Sec-Fetch-Site: same-origin"
	kind   = "Content-Type: application/json"
	blocks = `{"12":[{"type":"text"}]}`
)

// edits posts blocks to a page on the host of a preview.
func (w *world) edits(target, body string, lines ...string) reply {
	w.t.Helper()
	lines = append(lines, fmt.Sprintf("Content-Length: %d", len(body)))
	return w.raw("POST", request("POST", "shop.localhost", target, lines...)+body)
}

// The script of a preview posts the blocks that somebody is editing to the page's own address and
// gets the page with them. Nothing of it is kept, and no page of another site can do it.
func TestAPreviewIsDrawnWithBlocksThatAreNotSaved(t *testing.T) {
	w, _ := newFramedWorld(t)
	post := func(body string, lines ...string) reply { return w.edits("/about", body, lines...) }
	got := post(blocks, withDraft, asked, kind)
	w.expect("the page as edited", got, 200, "Cache-Control", "private, no-store", "X-Robots-Tag", "noindex", "Content-Security-Policy", onlyThem)
	if !strings.Contains(got.Body, "With {&#34;12&#34;") || !strings.Contains(got.Body, `data-v-cabinet="`+cabinet+`"`) {
		t.Errorf("drawn: %s", got.Body)
	}
	if got := w.ask("GET", "/about", withDraft); strings.Contains(got.Body, "With {") {
		t.Error("the blocks were kept")
	}
	visitor := request("POST", "tea.example.com", "/about", asked, kind, fmt.Sprintf("Content-Length: %d", len(blocks))) + blocks
	w.expect("for a visitor", w.raw("POST", visitor), 405)
	w.expect("from another site", post(blocks, withDraft, "Sec-Fetch-Site: cross-site", kind), 403)
	w.expect("from an unknown site", post(blocks, withDraft, kind), 403)
	w.expect("as a form", post(blocks, withDraft, asked, "Content-Type: text/plain"), 403)
	w.expect("no object", post(`[1]`, withDraft, asked, kind), 400)
	w.expect("no list", post(`{"1":{}}`, withDraft, asked, kind), 400)
	w.expect("more sections than a block has", post(`{"1":[`+strings.Repeat("{},", 50)+`{}]}`, withDraft, asked, kind), 400)
	w.expect("no ids", post(`{"x":[]}`, withDraft, asked, kind), 400)
	w.expect("no JSON", post(`{`, withDraft, asked, kind), 400)
	w.expect("too large", post(`{"1":["`+strings.Repeat("x", maxUnsaved)+`"]}`, withDraft, asked, kind), 413)
}

// Whoever may see the draft edits its closed parts, too. Visitors get neither the page nor the blocks.
func TestAPageInAClosedPartIsDrawnAsEdited(t *testing.T) {
	w, draft := newFramedWorld(t)
	policy := tradeOnly()
	policy.Sections = []shop.CategoryID{2}
	w.policies(sesame, policy)
	draft.commit(7, compile.Delta{Policies: []compile.Policy{policy}}, nil, shop.Key{Kind: shop.KeyAccess}, shop.Key{Kind: shop.KeyCategories})
	got := w.edits("/about", blocks, withDraft, asked, kind)
	w.expect("the page as edited", got, 200, "Cache-Control", "private, no-store", "X-Robots-Tag", "noindex")
	if !strings.Contains(got.Body, "With {&#34;12&#34;") {
		t.Errorf("drawn: %s", got.Body)
	}
	closed := w.askHost("GET", "tea.example.com", "/about")
	if w.expect("for a visitor", closed, 403); strings.Contains(closed.Body, "With {") {
		t.Error("a visitor sees the blocks")
	}
	visitor := request("POST", "tea.example.com", "/about", asked, kind, fmt.Sprintf("Content-Length: %d", len(blocks))) + blocks
	w.expect("edits of a visitor", w.raw("POST", visitor), 405)
}

// A draft that is published while somebody edits beside its preview is live as it was saved; the
// preview goes on with what is not saved, until its page is gone.
func TestADraftIsPublishedWhileItsPreviewIsEdited(t *testing.T) {
	w, draft := newFramedWorld(t)
	fresh := []compile.Category{{ID: 30, Slug: "fresh", Name: "Fresh", Type: compile.TypePage, Published: true}}
	of := shop.Key{Kind: shop.KeyCategories}
	saved := func(text string) func(*fixtureShop) { return func(s *fixtureShop) { s.texts[30] = text } }
	draft.commit(7, compile.Delta{Categories: fresh}, saved("As saved."), of)
	edited := func(when string) {
		t.Helper()
		got := w.edits("/fresh", blocks, withDraft, asked, kind)
		if w.expect(when, got, 200, "Cache-Control", "private, no-store"); !strings.Contains(got.Body, "With {&#34;12&#34;") {
			t.Errorf("%s: %s", when, got.Body)
		}
	}
	edited("before it is published")
	w.expect("for a visitor before it is published", w.askHost("GET", "tea.example.com", "/fresh"), 404)
	w.change(7, compile.Delta{Categories: fresh}, saved("As saved."), of)
	edited("published meanwhile")
	if live := w.askHost("GET", "tea.example.com", "/fresh"); live.Status != 200 || strings.Contains(live.Body, "With {") || !strings.Contains(live.Body, "As saved.") {
		t.Errorf("for a visitor: %d %s", live.Status, live.Body)
	}
	hidden := fresh[0]
	hidden.Published = false
	draft.commit(7, compile.Delta{Categories: []compile.Category{hidden}}, nil, of)
	w.expect("hidden meanwhile", w.edits("/fresh", blocks, withDraft, asked, kind), 404)
}
