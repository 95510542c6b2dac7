package edge

import (
	"strings"
	"testing"
)

func TestConditionalRequests(t *testing.T) {
	w := newWorld(t)
	for _, target := range []string{"/about", "/_html/5/9/ten.bin", "/_html/5/9/big.bin", "/files/pics/plain.png", "/robots.txt"} {
		tag := w.get(target).has("ETag")
		caching := w.get(target).has("Cache-Control")
		for range 2 {
			for _, match := range []string{tag, "W/" + tag, "*", `"x", ` + tag, `"x"` + "\r\nIf-None-Match: " + tag} {
				got := w.get(target, "If-None-Match: "+match)
				w.expect(target+" "+match, got, 304, "ETag", tag, "Cache-Control", caching, "Content-Type", "", "Content-Length", "")
				if got.Body != "" {
					t.Errorf("%s: a 304 with a body", target)
				}
			}
			w.expect("HEAD "+target, w.ask("HEAD", target, "If-None-Match: "+tag), 304)
			for _, other := range []string{`"x"`, strings.Trim(tag, `"`), `W/"x"`} {
				w.expect(target+" "+other, w.get(target, "If-None-Match: "+other), 200)
			}
		}
	}
}

func TestPreconditionsDoNotApplyToRedirectsAnd404s(t *testing.T) {
	w := newWorld(t)
	w.rules(rule("/old", "/about"))
	conditions := []string{
		"If-None-Match: *", `If-Match: "x"`, "Range: bytes=0-0", "If-Modified-Since: Thu, 01 Jan 2099 00:00:00 GMT",
		`If-Range: "x"`,
	}
	for range 2 {
		w.expect("redirect", w.get("/old", conditions...), 308, "Location", "/about", "Content-Range", "")
		w.expect("html hop", w.get("/about.html", conditions...), 308, "Location", "/about")
		w.expect("404", w.get("/nothing", conditions...), 404, "Content-Range", "")
		w.expect("missing file", w.get("/_html/5/9/none", conditions...), 404)
	}
}

func TestRanges(t *testing.T) {
	w := newWorld(t)
	body := map[string]string{"/_html/5/9/ten.bin": "0123456789", "/_html/5/9/big.bin": strings.Repeat("0123456789", 200_000)}
	for target, all := range body {
		size, tag := len(all), w.get(target).has("ETag")
		of := map[int]string{10: "10", 2_000_000: "2000000"}[size]
		last := map[int]string{10: "9", 2_000_000: "1999999"}[size]
		for _, c := range []struct {
			lines   string
			status  int
			body    string
			content string
		}{
			{"Range: bytes=0-3", 206, "0123", "bytes 0-3/" + of},
			{"Range: bytes=8-", 206, all[8:], "bytes 8-" + last + "/" + of},
			{"Range: bytes=-2", 206, "89", "bytes " + last[:len(last)-1] + "8-" + last + "/" + of},
			{"Range: bytes=-99999999999", 206, all, "bytes 0-" + last + "/" + of},
			{"Range: bytes=5-99999999999", 206, all[5:], "bytes 5-" + last + "/" + of},
			{"Range: bytes=-0", 416, "", "bytes */" + of},
			{"Range: bytes=20000000-", 416, "", "bytes */" + of},
			{"Range: lines=0-1", 200, all, ""},
			{"Range: bytes=3-1", 200, all, ""},
			{"Range: bytes=x-1", 200, all, ""},
			{"Range: bytes=0-0,2-2", 200, all, ""},
			{"Range: bytes=" + strings.Repeat("0-0,", 1000) + "0-0", 200, all, ""},
			{"Range: bytes=0-3\r\nIf-Range: " + tag, 206, "0123", "bytes 0-3/" + of},
			{"Range: bytes=0-3\r\nIf-Range: W/" + tag, 200, all, ""},
			{"Range: bytes=0-3\r\nIf-Range: Thu, 01 Jan 2026 00:00:00 GMT", 200, all, ""},
			{"Range: bytes=0-3\r\nIf-None-Match: " + tag, 304, "", ""},
		} {
			got := w.get(target, c.lines)
			w.expect(target+" "+c.lines[:min(30, len(c.lines))], got, c.status, "Content-Range", c.content)
			if c.status != 416 && got.Body != c.body {
				t.Errorf("%s: %d bytes, want %d", c.lines, len(got.Body), len(c.body))
			}
		}
		w.expect("HEAD", w.ask("HEAD", target, "Range: bytes=0-3"), 200, "Content-Length", of, "Accept-Ranges", "bytes")
	}
	w.expect("pages have no ranges", w.get("/about", "Range: bytes=0-3"), 200, "Accept-Ranges", "")
}
