package render

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"vitrine/compile/markup"
)

// BenchmarkAppend compares drawing each page with copying its bytes, which is the cost of a
// request once the page is cached: x/copy is the ratio.
func BenchmarkAppend(b *testing.B) {
	pages := fixture()
	listing := pages["listing"].(*Listing)
	for len(listing.Products) < 24 {
		listing.Products = append(listing.Products, listing.Products[0])
	}
	for _, name := range []string{"home", "listing", "product", "article"} {
		b.Run(name, func(b *testing.B) { benchmarkAppend(b, pages[name]) })
	}
}

func benchmarkAppend(b *testing.B, page Page) {
	dst := bytesOf(b, page)
	ready := bytes.Clone(dst)
	b.SetBytes(int64(len(dst)))
	b.ReportAllocs()
	for b.Loop() {
		out, err := Append(dst[:0], page)
		if err != nil {
			b.Fatal(err)
		}
		dst = out
	}
	drawing := b.Elapsed()
	start := time.Now()
	for range b.N {
		dst = append(dst[:0], ready...)
	}
	b.ReportMetric(float64(drawing)/float64(time.Since(start)), "x/copy")
}

// BenchmarkDocument draws a page that is one large html document: mostly a single copy.
func BenchmarkDocument(b *testing.B) {
	page := fixture()["text"]
	page.frame().Layout.Body = []Block{{Kind: BlockHTML, Fragment: literal(string(make([]byte, 400<<10)))}}
	benchmarkAppend(b, page)
}

// The documents of a shop with its own design: a layout folder, header and footer with the
// menu, and a page of about 120 KB with a loop over products.
var (
	layoutDocument = "<!doctype html><head><style>" +
		strings.Repeat("body .site > a:hover{background:url(img/a.png);color:var(--x)}\n", 300) + "</style>"
	headerDocument = `<!doctype html><header class="site"><ul>` +
		`<li svc-for="m in menu"><a href="{{ m.url }}">{{ m.name }}</a><ul svc-if="m.children"><li svc-for="c in m.children"><a href="{{ c.url }}">{{ c.name }}</a></li></ul></li></ul>` +
		strings.Repeat(`<a class="top" href="/about">A link of the header</a>`, 60) + `</header>`
	footerDocument = "<!doctype html><footer>" +
		strings.Repeat(`<p>Some words of the footer, <a href="/x">with a link</a></p>`, 80) + "</footer>"
	bodyDocument = "<!doctype html>" + strings.Repeat(
		`<section class="card"><h2>Heading</h2><p>Some text of a usual length, with <b>bold</b> parts.</p><img src="img/a.png" width="9" height="9" alt=""></section>`,
		800,
	) +
		`<ul><li svc-for="p in products"><a href="{{ p.url }}" title="{{ p.name }}">{{ p.name }}</a><b>{{ p.price_text }}</b></li></ul>`
)

// BenchmarkDocuments draws a page of layout, header, footer and body documents from compiled
// programs and data in memory. For comparison it also parses and prints the same documents,
// which is the minimum work of a server without compiled programs.
func BenchmarkDocuments(b *testing.B) {
	layout, err := markup.CompileLayout(markup.Source{Doc: "1", Release: "1", Index: []byte(layoutDocument)})
	if err != nil {
		b.Fatal(err)
	}
	var programs []*markup.Program
	for i, index := range []string{headerDocument, bodyDocument, footerDocument} {
		c, err := markup.Compile(markup.Source{Doc: strconv.Itoa(i + 2), Release: "1", Index: []byte(index)})
		if err != nil {
			b.Fatal(err)
		}
		programs = append(programs, c.Normal)
	}
	data := &markup.Data{
		Menu: []markup.MenuItem{
			{Name: "Cups", URL: "/cups", Children: []markup.MenuItem{{Name: "Small", URL: "/cups/small"}}},
			{Name: "News", URL: "/news"},
		},
	}
	for range markup.MaxRows {
		data.Products = append(data.Products, markup.Product{ID: 5, Name: "A name & some length", URL: "/some/path", PriceText: "1 290 €"})
	}
	page := fixture()["text"]
	frame := page.frame()
	frame.Layout.Header, frame.Layout.Body, frame.Layout.Footer = make([]Block, 1), make([]Block, 1), make([]Block, 1)
	frame.Layout.Template = true
	blocks := []*Block{&frame.Layout.Header[0], &frame.Layout.Body[0], &frame.Layout.Footer[0]}
	drawn := func(p *markup.Program) Fragment {
		return func(dst []byte) []byte { return p.AppendTo(dst, data) }
	}
	var dst, kept []byte // the edge's buffer and the copy in its cache
	for b.Loop() {
		frame.Layout.Head, frame.Layout.Foot = drawn(layout.Normal), drawn(layout.Foot)
		for i, p := range programs {
			blocks[i].Kind, blocks[i].Fragment = BlockHTML, drawn(p)
		}
		if dst, err = Append(dst[:0], page); err != nil {
			b.Fatal(err)
		}
		kept = bytes.Clone(dst)
	}
	drawing := float64(b.Elapsed()) / float64(b.N)
	parsing := float64(parsingOf(b, layoutDocument, headerDocument, bodyDocument, footerDocument))
	b.ReportMetric(float64(len(kept))/1024, "KB/page")
	b.ReportMetric(drawing/1000, "µs/page")
	b.ReportMetric(parsing/drawing, "x-faster-than-parsing")
}

// parsingOf measures the time to parse and print the documents once. It is measured
// separately, so that collecting its garbage does not count for the programs.
func parsingOf(b *testing.B, documents ...string) time.Duration {
	const rounds = 50
	start := time.Now()
	for range rounds {
		for _, index := range documents {
			doc, err := html.Parse(strings.NewReader(index))
			if err == nil {
				err = html.Render(io.Discard, doc)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	return time.Since(start) / rounds
}
