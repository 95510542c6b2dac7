package edge

import (
	"context"
	"strings"
	"testing"

	"vitrine/compile"
	"vitrine/internal/await"
	"vitrine/internal/shop"
)

// fragile fails when a product is called Bad.
const fragile = `{{range products}}{{if eq .Name "Bad"}}{{len 3}}{{end}}{{.Name}}
{{end}}`

func TestFailedBuildKeepsTheGoodCopyFor7Days(t *testing.T) {
	w := newWorld(t)
	w.src.files.saved = make(chan FileBuild, 100)
	w.putFile(1, 0, "list.txt", fragile)
	w.get("/list.txt")
	if b := await.Next(t, w.src.files.saved); b.State != BuildGood || b.Items != 2 || b.Copy == nil || b.Bytes != 10 {
		t.Errorf("%+v", b)
	}
	w.rename(11, "Bad")
	w.clock.Add(20)
	if got := w.get("/list.txt"); got.Status != 200 || got.Body != "Boot\nClog\n" {
		t.Errorf("%d %q, want the good copy", got.Status, got.Body)
	}
	if b := await.Next(t, w.src.files.saved); b.State != BuildFailed || len(b.Errors) != 1 || b.Errors[0].Line != 1 || b.Copy != nil {
		t.Errorf("%+v", b)
	}
	for range 10 {
		w.clock.Add(1)
		w.get("/list.txt")
	}
	if n := w.src.called("Catalogue"); n != 2 {
		t.Errorf("%d builds; a failed build is not retried while nothing changes", n)
	}
	w.clock.Add(7*24*3600 - 31)
	w.expect("a second before 7 days", w.get("/list.txt"), 200)
	await.Next(t, w.src.files.saved)
	w.clock.Add(1)
	w.expect("after 7 days", w.get("/list.txt"), 500)
	w.rename(11, "Boot")
	w.clock.Add(5)
	w.expect("healed", w.get("/list.txt"), 200)
}

func TestEditedFileThatFailsIsAnError(t *testing.T) {
	w := newWorld(t)
	w.putFile(1, 0, "list.txt", priceList)
	w.expect("good", w.get("/list.txt"), 200)
	w.putFile(1, 0, "list.txt", `{{len 3}}`)
	got := w.get("/list.txt")
	w.expect("edited", got, 500, "Retry-After", "60")
	if strings.Contains(got.Body, "Boot") || strings.Contains(got.Body, "len") {
		t.Errorf("%q", got.Body)
	}
	w.putFile(1, 0, "list.txt", priceList)
	w.expect("healed", w.get("/list.txt"), 200)
}

func TestBrokenDocumentDoesNotReplaceTheGoodCopy(t *testing.T) {
	w := newWorld(t)
	w.src.files.saved = make(chan FileBuild, 100)
	w.putFile(1, 0, "feed.xml", `<a>{{range products}}<b>{{.Name}}{{if ne .Name "Bad"}}</b>{{end}}{{end}}</a>`)
	good := w.get("/feed.xml")
	w.expect("good", good, 200)
	await.Next(t, w.src.files.saved)
	w.rename(11, "Bad")
	w.clock.Add(20)
	if got := w.get("/feed.xml"); got.Body != good.Body {
		t.Errorf("%q", got.Body)
	}
	if b := await.Next(t, w.src.files.saved); b.State != BuildKept || len(b.Errors) != 1 {
		t.Errorf("%+v", b)
	}
}

func TestFeedThatLostMoreThanHalfUnexplainedDoesNotReplaceTheGoodCopy(t *testing.T) {
	w := newWorld(t)
	w.src.files.saved = make(chan FileBuild, 100)
	w.change(7, compile.Delta{Products: []compile.Product{{ID: 13, Published: true}, {ID: 14, Published: true}}}, func(s *fixtureShop) {
		s.names[13], s.names[14] = "Mule", "Pump"
	}, shop.Key{Kind: shop.KeyProduct, ID: 13}, shop.Key{Kind: shop.KeyProduct, ID: 14})
	w.putFile(1, 0, "list.txt", priceList)
	good := w.get("/list.txt").Body
	await.Next(t, w.src.files.saved)
	next := func(lost int, changed ...shop.ProductID) (string, BuildState) {
		w.src.files.lost = lost
		var keys []shop.Key
		for _, id := range changed {
			keys = append(keys, shop.Key{Kind: shop.KeyProduct, ID: int64(id)})
		}
		w.change(7, compile.Delta{}, nil, append(keys, shop.Key{Kind: shop.KeyProducts})...)
		w.clock.Add(61)
		body := w.get("/list.txt").Body
		return body, await.Next(t, w.src.files.saved).State
	}
	if body, state := next(2); state != BuildGood || body == good {
		t.Errorf("half is left: %s %q", state, body)
	}
	w.src.files.lost = 0
	next(0)
	if body, state := next(3); state != BuildKept || body != good {
		t.Errorf("a quarter is left and nothing explains it: %s %q", state, body)
	}
	if body, state := next(3, 12, 13, 14); state != BuildGood || body == good {
		t.Errorf("changes explain it: %s %q", state, body)
	}
}

// A second server with the same source simulates the restart of a killed process.
func TestNextStartServesTheLastGoodCopy(t *testing.T) {
	w := newWorld(t)
	w.src.files.saved = make(chan FileBuild, 100)
	w.putFile(1, 0, "list.txt", fragile)
	w.get("/list.txt")
	await.Next(t, w.src.files.saved)
	again := func() *world {
		next := newWorld(t)
		next.src.shops, next.src.files = w.src.shops, w.src.files
		next.clock.Store(w.clock.Load())
		return next
	}
	same := again()
	if got := same.get("/list.txt"); got.Status != 200 || got.Body != "Boot\nClog\n" || same.src.called("Catalogue") != 0 {
		t.Errorf("%d %q with %d builds; nothing has changed", got.Status, got.Body, same.src.called("Catalogue"))
	}
	w.src.commit(7, compile.Delta{}, func(s *fixtureShop) { s.names[11] = "Bad" }, shop.Key{Kind: shop.KeyProduct, ID: 11})
	broken := again()
	if got := broken.get("/list.txt"); got.Status != 200 || got.Body != "Boot\nClog\n" {
		t.Errorf("%d %q; the build fails, so the last good copy is served", got.Status, got.Body)
	}
	await.Next(t, w.src.files.saved)
	w.src.commit(7, compile.Delta{}, func(s *fixtureShop) { s.names[11] = "New" }, shop.Key{Kind: shop.KeyProduct, ID: 11})
	changed := again()
	if got := changed.get("/list.txt"); got.Body != "New\nClog\n" {
		t.Errorf("%q; the changed file is built", got.Body)
	}
	await.Next(t, w.src.files.saved)
}

func TestTheCopyIsServedWhileTheSourceIsUnavailable(t *testing.T) {
	w := newWorld(t)
	w.putFile(1, 0, "list.txt", priceList)
	w.get("/list.txt")
	v := w.src.commit(7, compile.Delta{}, nil, shop.Key{Kind: shop.KeyProducts})
	if err := w.edge.Changed(context.Background(), 7, v); err != nil {
		t.Fatal(err)
	}
	w.src.setAway(true)
	w.clock.Add(60)
	w.expect("away", w.get("/list.txt"), 200)
	w.src.setAway(false)
}
