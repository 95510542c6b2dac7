package edge

import (
	"context"
	"testing"

	"vitrine/compile"
	"vitrine/internal/shop"
)

// A read of an article's page counts on the hot path and on others, and counting continues
// after the page is redrawn.
func TestReadsOfAnArticleAreCounted(t *testing.T) {
	w := newWorld(t)
	read := func() {
		for range 3 {
			w.get("/news/opening")
		}
		w.get("/news/opening", "If-None-Match: "+w.get("/news/opening").has("ETag"))
		w.ask("HEAD", "/news/opening")
		w.ask("POST", "/news/opening", "Content-Length: 0")
		w.get("/nowhere/opening") // a redirect to it
		w.get("/shoes/boot")
	}
	count := func() (n int64) {
		if err := w.edge.counters.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
		w.src.mu.Lock()
		defer w.src.mu.Unlock()
		for _, v := range w.src.views {
			if v.Company != 7 || v.Article != 21 {
				t.Errorf("counted %+v", v)
			}
			n += v.Views
		}
		w.src.views = nil
		return n
	}
	read()
	if n := count(); n != 5 {
		t.Errorf("%d reads were counted", n)
	}
	if n := count(); n != 0 {
		t.Errorf("%d reads were counted twice", n)
	}
	w.get("/news/opening")
	w.change(7, compile.Delta{}, nil, shop.Key{Kind: shop.KeyArticle, ID: 21})
	read()
	if n := count(); n != 6 {
		t.Errorf("%d reads were counted around a change", n)
	}
	closed := w.src.shops[7].in.Shop
	closed.Closed = true
	w.changeShop(closed)
	read()
	if n := count(); n != 0 {
		t.Errorf("%d reads of a closed shop were counted", n)
	}
}
