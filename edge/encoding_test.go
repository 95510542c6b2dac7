package edge

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

func TestNegotiate(t *testing.T) {
	for accept, want := range map[string]encoding{
		"":                                 identity,
		"gzip":                             gzipped,
		"x-gzip":                           gzipped,
		"br":                               brotlied,
		"gzip, deflate, br, zstd":          brotlied,
		"gzip,br":                          brotlied,
		"GZIP":                             gzipped,
		"deflate, zstd":                    identity,
		"*":                                brotlied,
		"br;q=0, *":                        gzipped,
		"br;q=0,gzip;q=0":                  identity,
		"br;q=0.5, gzip;q=0.8":             gzipped,
		"br;q=0.8, gzip;q=0.8":             brotlied,
		"gzip;q=0.001":                     gzipped,
		"identity":                         identity,
		"identity, gzip;q=0.5":             identity,
		"identity;q=0.5, gzip":             gzipped,
		"identity;q=0":                     identity,
		"*;q=0":                            identity,
		"gzip;q=1.000, *;q=0":              gzipped,
		"br;Q=0, gzip":                     gzipped,
		"br ; q=0.9 , gzip ; q=0.1":        brotlied,
		"br;q=x":                           identity,
		"br;q=":                            identity,
		"br;q=0.0000001":                   identity,
		"brotli, gzipped":                  identity,
		",,;;,gzip,":                       gzipped,
		";q=1":                             identity,
		"br;level=4;q=0.3, gzip;level=9":   gzipped,
		strings.Repeat("x, ", 1000) + "br": brotlied,
	} {
		if got := negotiate([]byte(accept), brotlied); got != want {
			t.Errorf("%.40q: %q, want %q", accept, encodingNames[got], encodingNames[want])
		}
		if got := negotiate([]byte(accept), gzipped); got > gzipped {
			t.Errorf("%.40q: %q, which is not available", accept, encodingNames[got])
		}
	}
}

func TestBodyInEachCoding(t *testing.T) {
	w := newWorld(t)
	plainPage := w.get("/about")
	tags := map[string]bool{plainPage.has("ETag"): true}
	for accept, name := range map[string]string{"br": "br", "gzip": "gzip", "gzip, br;q=0": "gzip", "zstd": ""} {
		got := w.get("/about", "Accept-Encoding: "+accept)
		w.expect(accept, got, 200, "Content-Encoding", name, "Vary", "Accept-Encoding")
		if decoded(t, name, got.Body) != plainPage.Body {
			t.Errorf("%s: another body", accept)
		}
		if name != "" && len(got.Body) >= len(plainPage.Body) {
			t.Errorf("%s: not smaller", accept)
		}
		if again := w.get("/about", "Accept-Encoding: "+accept); again.Body != got.Body || again.has("ETag") != got.has("ETag") {
			t.Errorf("%s: another answer the second time", accept)
		}
		tags[got.has("ETag")] = true
		w.expect(accept+" 304", w.get("/about", "Accept-Encoding: "+accept, "If-None-Match: "+got.has("ETag")), 304,
			"Vary", "Accept-Encoding", "ETag", got.has("ETag"), "Content-Encoding", "", "Content-Type", "")
	}
	if len(tags) != 3 {
		t.Errorf("%d entity tags for three codings", len(tags))
	}
	// The tag of one coding is not the tag of another.
	w.expect("tag of plain, asked for br", w.get("/about", "Accept-Encoding: br", "If-None-Match: "+plainPage.has("ETag")), 200)
}

// The plain form is dropped when there is a compressed one. Whichever coding is asked for first, and
// next, the body and the tag of each are the same.
func TestCodingsAreTheSameInEveryOrder(t *testing.T) {
	long, short := strings.Repeat("<p>One of many lines.</p>", 400), "short"
	for _, body := range []string{long, short} {
		tags := map[encoding]string{}
		for _, order := range [][]encoding{
			{identity, gzipped, brotlied}, {identity, brotlied, gzipped}, {gzipped, identity, brotlied}, {gzipped, brotlied, identity},
			{brotlied, identity, gzipped}, {brotlied, gzipped, identity}, {gzipped, gzipped, identity, identity, brotlied, brotlied},
		} {
			a := (&answer{mime: htmlType, packs: true, tag: tagOf([]byte(body))}).finish([]byte(body))
			packed, restored := false, false
			for _, e := range order {
				f := a.in(e)
				if got := decoded(t, encodingNames[f.in], string(f.body)); got != body {
					t.Fatalf("%v: %d: %d bytes, want %d", order, e, len(got), len(body))
				}
				packed = packed || e != identity
				restored = restored || packed && e == identity
				if kept := a.plain.Load() != nil; kept != (!packed || restored || body == short) {
					t.Errorf("%v: after %d the plain form is kept: %v", order, e, kept)
				}
				if was := tags[e]; was != "" && was != string(f.etag) {
					t.Errorf("%v: %d: the tag %s was %s", order, e, f.etag, was)
				}
				tags[e] = string(f.etag)
			}
		}
	}
}

func TestIncompressibleBodiesStayPlain(t *testing.T) {
	w := newWorld(t)
	for _, target := range []string{"/_html/5/9/ten.bin", "/files/pics/plain.png", "/_html/5/9/logo.svg"} {
		w.expect(target, w.get(target, "Accept-Encoding: br, gzip"), 200, "Content-Encoding", "", "Vary", "")
	}
	w.expect("sheet", w.get("/_html/5/9/css/site.css", "Accept-Encoding: br, gzip"), 200, "Content-Encoding", "br")
}

func decoded(t *testing.T, coding, body string) string {
	t.Helper()
	var r io.Reader = strings.NewReader(body)
	var err error
	switch coding {
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		if r, err = gzip.NewReader(bytes.NewReader([]byte(body))); err != nil {
			t.Fatal(err)
		}
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
