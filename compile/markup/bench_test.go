package markup

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/net/html"
)

// page is a document of about 200 KB with styles, images and a product loop.
func page() string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><title>x</title><style>")
	for range 300 {
		b.WriteString("body .card > a:hover{background:url(img/a.png) no-repeat;color:var(--x)}\n")
	}
	b.WriteString("</style></head><body>")
	for range 900 {
		b.WriteString(
			`<div class="card" style="color:red"><a href="about.html">About us &amp; more</a><img src="img/a.png" srcset="img/a.png 1x, img/b.png 2x" width="5" height="5" alt=""><p>Some text of a usual length, with <b>bold</b> parts.</p></div>` + "\n",
		)
	}
	b.WriteString(
		`<ul><li svc-for="p in products"><a href="{{ p.url }}" title="{{ p.name }}">{{ p.name }} {{ p.price_text }}</a><img src="{{ p.image }}"></li></ul>`,
	)
	return b.String()
}

// ceiling measures the minimum cost for the same bytes.
func ceiling(b *testing.B, run func()) time.Duration {
	b.Helper()
	const rounds = 5
	start := time.Now()
	for range rounds {
		run()
	}
	return time.Since(start) / rounds
}

// besideParse compiles and parses a document in turn, so that both run under the same machine
// load. It reports the time and allocated megabytes per document, and the throughput relative to
// the parse.
func besideParse(b *testing.B, index string) {
	src := Source{Doc: "7", Release: "3", Index: []byte(index), Files: func(string) bool { return true }}
	var compiling, parsing time.Duration
	var before, after runtime.MemStats
	var allocated uint64
	for b.Loop() {
		runtime.ReadMemStats(&before)
		start := time.Now()
		if _, err := Compile(src); err != nil {
			b.Fatal(err)
		}
		compiling += time.Since(start)
		runtime.ReadMemStats(&after)
		allocated += after.TotalAlloc - before.TotalAlloc
		start = time.Now()
		if _, err := html.Parse(strings.NewReader(index)); err != nil {
			b.Fatal(err)
		}
		parsing += time.Since(start)
	}
	b.ReportMetric(0, "ns/op") // of both together: meaningless
	b.ReportMetric(float64(compiling.Milliseconds())/float64(b.N), "ms/document")
	b.ReportMetric(float64(allocated)/float64(b.N)/(1<<20), "MB/document")
	b.ReportMetric(float64(parsing)/float64(compiling), "of-parse")
}

// BenchmarkCompile compares with html.Parse alone.
func BenchmarkCompile(b *testing.B) { besideParse(b, page()) }

// BenchmarkCompileLargest compiles a document of the largest size.
func BenchmarkCompileLargest(b *testing.B) {
	one := page()
	besideParse(b, one+strings.Repeat(one[strings.Index(one, "<body>")+len("<body>"):], (MaxIndex-len(one))/len(one)))
}

// bound is a document of about 225 KB when drawn, with 600 holes of which 480 are in a loop of 48
// rows.
func bound() string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><body>")
	for range 120 {
		b.WriteString(
			`<section class="card"><h2 title="{{ product.name }}">Heading</h2><p>` +
				strings.Repeat("Some text of a usual length. ", 60) + "</p></section>\n",
		)
	}
	b.WriteString(
		`<ul><li svc-for="p in products"><a href="{{ p.url }}" title="{{ p.name }}">{{ p.name }}</a><b>{{ p.price_text }}</b><i data-id="{{ p.id }}">{{ p.id }}</i>` +
			`<u title="{{ p.name }}">{{ p.price_text }}</u><a href="{{ p.url }}">{{ p.name }}</a></li></ul>`,
	)
	return b.String()
}

// BenchmarkDraw draws such a document and compares with parsing and rendering it, as a server
// without compiled programs would.
func BenchmarkDraw(b *testing.B) {
	c := compile(b, bound())
	data := &Data{Product: &Product{Name: "A name of some length"}}
	for range MaxRows {
		data.Products = append(data.Products, Product{ID: 5, Name: "A name & some length", URL: "/some/path", PriceText: "1 290 €"})
	}
	dst := c.Normal.AppendTo(nil, data)
	drawn := string(dst)
	parsing := ceiling(b, func() {
		doc, err := html.Parse(strings.NewReader(drawn))
		if err == nil {
			err = html.Render(io.Discard, doc)
		}
		if err != nil {
			b.Fatal(err)
		}
	})
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		dst = c.Normal.AppendTo(dst[:0], data)
	}
	b.ReportMetric(float64(parsing)/(float64(b.Elapsed())/float64(b.N)), "x-faster-than-parsing")
}

// BenchmarkStatic copies a document without bindings and compares with copying as many bytes.
func BenchmarkStatic(b *testing.B) {
	c := compile(b, "<!DOCTYPE html><body>"+strings.Repeat("<p>Some text of a usual length.</p>", 6000))
	nothing := &Data{}
	dst := c.Normal.AppendTo(nil, nothing)
	from := make([]byte, len(dst))
	least := ceiling(b, func() {
		for range 100 {
			dst = append(dst[:0], from...)
		}
	}) / 100
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		dst = c.Normal.AppendTo(dst[:0], nothing)
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(least), "x-of-copy")
}

// BenchmarkCSS compares with running only the lexer.
func BenchmarkCSS(b *testing.B) {
	sheet := strings.Repeat("body .card > a:hover{background:url(img/a.png) no-repeat;color:var(--x)}\n@media print{html,.x{a:b}}\n", 2000)
	least := ceiling(b, func() {
		l := css.NewLexer(parse.NewInputString(sheet))
		for {
			if tt, _ := l.Next(); tt == css.ErrorToken {
				return
			}
		}
	})
	b.SetBytes(int64(len(sheet)))
	for b.Loop() {
		rewriteCSS(sheet, ".svc-body-7", moveAll)
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(least), "x-of-lexer")
}

// BenchmarkAppendTo compares with copying as many bytes.
func BenchmarkAppendTo(b *testing.B) {
	c := compile(b, page())
	data := &Data{}
	for range MaxRows {
		data.Products = append(
			data.Products,
			Product{ID: 5, Name: "A name of some length", URL: "/some/path", Image: "/files/some/image.jpg", PriceText: "1 290 €"},
		)
	}
	dst := c.Normal.AppendTo(nil, data)
	from := make([]byte, len(dst))
	least := ceiling(b, func() {
		for range 100 {
			dst = append(dst[:0], from...)
		}
	}) / 100
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		dst = c.Normal.AppendTo(dst[:0], data)
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(least), "x-of-copy")
}

func TestDrawingDoesNotAllocate(t *testing.T) {
	c := compile(
		t,
		`<i svc-for="p in products" svc-if="p.name"><a href="{{ p.url }}">{{ p.name }}</a><img src="{{ p.image }}"></i><a href="svc:page/5">`,
	)
	data := shopData()
	data.PageURL = func(int64) string { return "/about" }
	dst := make([]byte, 0, 1<<14)
	if n := testing.AllocsPerRun(100, func() { dst = c.Normal.AppendTo(dst[:0], data) }); n > 2 {
		t.Errorf("%v allocations", n)
	}
}
