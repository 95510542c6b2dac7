package edge

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"vitrine/compile"
	"vitrine/internal/await"
	"vitrine/internal/shop"
)

// doubled returns a template whose output has exactly this many bytes: nested ranges over
// both products write a name with padding, and a tail fills up the rest.
func doubled(bytes int) string {
	levels := 7
	for bytes>>levels > 40_000 {
		levels++
	}
	piece := bytes >> levels
	return strings.Repeat("{{range products}}", levels) + "{{.Name}}" + strings.Repeat("x", piece-4) + strings.Repeat("{{end}}", levels) +
		strings.Repeat("y", bytes-piece<<levels)
}

// copyOf returns the cache entry of a site file of shop 7.
func (w *world) copyOf(id shop.SiteFileID) *entry {
	t := w.edge.tenants.get(7)
	f := t.files.get(w.edge, t, id)
	return w.edge.cache.find(f.hash, t, f.name)
}

// evict empties the cache.
func (w *world) evict() {
	w.edge.cache.store.Clear()
	w.edge.cache.recent.mu.Lock()
	defer w.edge.cache.recent.mu.Unlock()
	w.edge.cache.recent.halves = [2]map[uint64]*entry{}
}

// again returns a new edge with the fixture of w.
func (w *world) again() *world {
	next := newWorld(w.t)
	next.src.shops, next.src.files = w.src.shops, w.src.files
	next.clock.Store(w.clock.Load())
	return next
}

// Files below and above the size from which only their gzip form is kept are served the
// same, and after a restart too.
func TestFilesOfEachSizeAreServedTheSame(t *testing.T) {
	for _, bytes := range []int{1000, smallLimit - 1, smallLimit, smallLimit + 1, 3 * smallLimit} {
		t.Run(fmt.Sprint(bytes), func(t *testing.T) {
			w := newWorld(t)
			w.src.files.saved = make(chan FileBuild, 100)
			w.putFile(1, 0, "list.txt", doubled(bytes))
			got := w.get("/list.txt")
			if got.Status != 200 || len(got.Body) != bytes || strings.Count(got.Body, "Boot") != strings.Count(got.Body, "Clog") {
				t.Fatalf("%d, %d bytes", got.Status, len(got.Body))
			}
			if b := await.Next(t, w.src.files.saved); b.Copy == nil || b.Copy.Size != int64(bytes) || b.Bytes != int64(bytes) {
				t.Errorf("saved %+v", b.Copy)
			}
			e := w.copyOf(1)
			if kept := e.answer.plain.Load().body != nil; kept != (bytes <= smallLimit) || e.cost() < int64(bytes) == kept {
				t.Errorf("the plain text is kept: %v, at a cost of %d", kept, e.cost())
			}
			next := w.again()
			restored := next.get("/list.txt")
			if restored.Body != got.Body || restored.has("ETag") != got.has("ETag") || next.src.called("Catalogue") != 0 {
				t.Errorf("after a restart: %d, %d bytes, %s for %s", restored.Status, len(restored.Body), restored.has("ETag"), got.has("ETag"))
			}
		})
	}
}

func TestLargeFileAnswersConditionsAndCodings(t *testing.T) {
	w := newWorld(t)
	w.putFile(1, 0, "list.txt", doubled(2*smallLimit))
	plain := w.get("/list.txt")
	for accept, coding := range map[string]string{"": "", "gzip": "gzip", "gzip, br": "gzip", "br": "", "*": "gzip", "br, gzip;q=0": "", "identity, gzip;q=0.5": ""} {
		got := w.get("/list.txt", "Accept-Encoding: "+accept)
		w.expect(accept, got, 200, "Content-Encoding", coding, "Vary", "Accept-Encoding", "Content-Type", "text/plain; charset=utf-8")
		if decoded(t, coding, got.Body) != plain.Body {
			t.Errorf("%q: another body", accept)
		}
		w.expect(accept, w.get("/list.txt", "Accept-Encoding: "+accept, "If-None-Match: "+got.has("ETag")), 304)
		head := w.ask("HEAD", "/list.txt", "Accept-Encoding: "+accept)
		w.expect("HEAD", head, 200, "Content-Length", fmt.Sprint(len(got.Body)), "ETag", got.has("ETag"), "Content-Encoding", coding)
		whole := w.get("/list.txt", "Accept-Encoding: "+accept, "Range: bytes=7-8")
		w.expect("a range is not answered", whole, 200, "Accept-Ranges", "")
		if whole.Body != got.Body {
			t.Errorf("%q with a range: %d bytes", accept, len(whole.Body))
		}
	}
}

func TestAFileThatGrowsAndShrinksIsBuiltInABufferOfItsSize(t *testing.T) {
	w := newWorld(t)
	w.src.files.saved = make(chan FileBuild, 100)
	w.putFile(1, 0, "list.txt", doubled(smallLimit-1))
	for i, c := range []struct {
		name  string
		bytes int
		large bool
	}{{"Boot", smallLimit - 1, false}, {"A longer boot", smallLimit - 1 + 64*9, true}, {"B", smallLimit - 1 - 64*3, false}} {
		w.rename(11, c.name)
		w.clock.Add(20)
		got := w.get("/list.txt")
		if len(got.Body) != c.bytes || strings.Count(got.Body, c.name) != 64 {
			t.Errorf("build %d: %d %d bytes", i, got.Status, len(got.Body))
		}
		if b := await.Next(t, w.src.files.saved); b.State != BuildGood || b.Bytes != int64(c.bytes) || len(b.Errors)+len(b.Warnings) != 0 {
			t.Errorf("build %d: %+v", i, b)
		}
		if large := w.copyOf(1).answer.unpackedSize > 0; large != c.large {
			t.Errorf("build %d: kept as gzip: %v", i, large)
		}
	}
}

// A large file waits for its buffer without a time limit, small ones do not wait for it,
// and its build time starts when it has the buffer.
func TestSmallFilesDoNotWaitForLargeOnes(t *testing.T) {
	w := newWorld(t)
	w.putFile(1, 0, "large.txt", doubled(2*smallLimit))
	w.putFile(2, 0, "small.txt", priceList)
	if !w.edge.building[large].TryAcquire(largeBudget) {
		t.Fatal("another build is running")
	}
	var visitors sync.WaitGroup
	visitors.Go(func() { w.expect("its turn has come", w.get("/large.txt"), 200) })
	share := w.edge.tenants.get(7).files.limits[large]
	for share.TryAcquire(largePerShop) { // until the large one waits
		share.Release(largePerShop)
		runtime.Gosched()
	}
	w.expect("a small file", w.get("/small.txt"), 200)
	w.clock.Add(100)
	w.edge.building[large].Release(largeBudget)
	visitors.Wait()
	if built := w.copyOf(1).copy.built.Unix(); built != w.clock.Load() {
		t.Errorf("built at %d, before the waiting was over", built)
	}
}

// A shop with a slow build holds one large buffer, and its other files wait.
func TestOneShopBuildsOneLargeFileAtATime(t *testing.T) {
	const files = 5
	w := newWorld(t)
	w.putFile(files+1, 0, "other.txt", "no template")
	for i := range files {
		w.putFile(shop.SiteFileID(i+1), 0, fmt.Sprintf("f%d.txt", i), doubled(smallLimit+1))
		w.expect("first", w.get(fmt.Sprintf("/f%d.txt", i)), 200)
	}
	begun, goOn := make(chan bool, files), make(chan bool)
	w.src.files.rendering = func() {
		begun <- true
		<-goOn
	}
	w.rename(11, "Root")
	w.clock.Add(20)
	var visitors sync.WaitGroup
	for i := range files {
		visitors.Go(func() {
			if got := w.get(fmt.Sprintf("/f%d.txt", i)); !strings.Contains(got.Body, "Root") {
				t.Errorf("%d, %d bytes", got.Status, len(got.Body))
			}
		})
	}
	await.Next(t, begun)
	for range 300 { // as long as the others would need to begin
		w.get("/other.txt")
	}
	if n := len(begun); n > 0 {
		t.Errorf("%d more large files of the shop are built at once", n)
	}
	close(goOn)
	visitors.Wait()
}

// Only the cache, which is bounded, and the Source hold the copy of a failing file.
func TestGoodCopyOfAFailingFileIsRestored(t *testing.T) {
	for name, body := range map[string]string{"small": fragile, "large": doubled(2*smallLimit) + `{{range products}}{{if eq .Name "Bad"}}{{len 3}}{{end}}{{end}}`} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.src.files.saved = make(chan FileBuild, 100)
			w.putFile(1, 0, "list.txt", body)
			good := w.get("/list.txt").Body
			await.Next(t, w.src.files.saved)
			w.rename(11, "Bad")
			w.clock.Add(20)
			w.expect("failed", w.get("/list.txt"), 200)
			await.Next(t, w.src.files.saved)
			held := weak.Make(w.copyOf(1))
			w.evict()
			for range 2 {
				runtime.GC()
			}
			if held.Value() != nil {
				t.Error("something besides the cache holds the copy")
			}
			builds := w.src.called("Catalogue")
			if got := w.get("/list.txt"); got.Status != 200 || got.Body != good || w.src.called("Catalogue") != builds {
				t.Errorf("%d, %d bytes, %d builds", got.Status, len(got.Body), w.src.called("Catalogue")-builds)
			}
			w.evict()
			w.src.files.copies[1] = nil
			w.expect("nothing is left", w.get("/list.txt"), 500)
			asked := w.src.called("LastCopy")
			w.expect("nothing is left", w.get("/list.txt"), 500)
			if n := w.src.called("LastCopy") - asked; n != 0 {
				t.Errorf("asked %d times more for a copy that is not there", n)
			}
		})
	}
}

// A saved copy that is incomplete or not what its row says is replaced by a new build.
func TestDamagedCopyIsRebuilt(t *testing.T) {
	for name, damage := range map[string]func(c *FileCopy){
		"truncated":         func(c *FileCopy) { c.Packed = c.Packed[:len(c.Packed)-3] },
		"empty":             func(c *FileCopy) { c.Packed = []byte{} },
		"no gzip":           func(c *FileCopy) { c.Packed = []byte("plain text") },
		"checksum":          func(c *FileCopy) { c.Packed[len(c.Packed)-6] ^= 1 },
		"more than it says": func(c *FileCopy) { c.Size-- },
		"less than it says": func(c *FileCopy) { c.Size++ },
		"a small size":      func(c *FileCopy) { c.Size = 5 },
		"a negative size":   func(c *FileCopy) { c.Size = -1 },
		"a size too large":  func(c *FileCopy) { c.Size = 1 << 40 },
	} {
		for _, body := range []string{priceList, doubled(smallLimit + 1)} {
			w := newWorld(t)
			w.src.files.saved = make(chan FileBuild, 100)
			w.putFile(1, 0, "list.txt", body)
			good := w.get("/list.txt").Body
			copyInfo := *await.Next(t, w.src.files.saved).Copy
			copyInfo.Packed = append([]byte(nil), copyInfo.Packed...)
			damage(&copyInfo)
			w.src.files.copies[1] = &copyInfo
			next := w.again()
			if got := next.get("/list.txt"); got.Status != 200 || got.Body != good || next.src.called("Catalogue") == 0 {
				t.Errorf("%s: %d, %d bytes", name, got.Status, len(got.Body))
			}
			await.Next(t, w.src.files.saved)
		}
	}
}

// Waiting builds hold no copy: the cache alone bounds the number of copies in memory.
func TestABuildThatWaitsHoldsNoCopy(t *testing.T) {
	w := newWorld(t)
	w.src.files.saved = make(chan FileBuild, 100)
	w.putFile(1, 0, "list.txt", doubled(2*smallLimit))
	w.get("/list.txt")
	await.Next(t, w.src.files.saved)
	if !w.edge.building[large].TryAcquire(largeBudget) {
		t.Fatal("another build is running")
	}
	v := w.src.commit(7, compile.Delta{}, nil, shop.Key{Kind: shop.KeyProducts})
	if err := w.edge.Changed(t.Context(), 7, v); err != nil {
		t.Fatal(err)
	}
	w.clock.Add(10)
	w.expect("the copy before", w.get("/list.txt"), 200)
	share := w.edge.tenants.get(7).files.limits[large]
	for share.TryAcquire(largePerShop) { // until the build waits
		share.Release(largePerShop)
		runtime.Gosched()
	}
	held := weak.Make(w.copyOf(1))
	w.evict()
	for range 2 {
		runtime.GC()
	}
	if held.Value() != nil {
		t.Error("a waiting build holds the previous copy")
	}
	w.edge.building[large].Release(largeBudget)
	w.expect("its turn has come", w.get("/list.txt"), 200)
}
