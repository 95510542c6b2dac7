package edge

import (
	"fmt"
	"strings"
	"testing"
)

// The script of a preview posts the blocks that somebody is editing to the page's own address and
// gets the page with them. Nothing of it is kept, and no page of another site can do it.
func TestAPreviewIsDrawnWithBlocksThatAreNotSaved(t *testing.T) {
	w, _ := newFramedWorld(t)
	post := func(body string, lines ...string) reply {
		lines = append(lines, fmt.Sprintf("Content-Length: %d", len(body)))
		return w.raw("POST", request("POST", "shop.localhost", "/about", lines...)+body)
	}
	const asked, kind = "Sec-Fetch-Site: same-origin", "Content-Type: application/json"
	const blocks = `{"12":[{"type":"text"}]}`
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
