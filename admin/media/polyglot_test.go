package media_test

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// A file that is valid in two formats is served as the announced and detected type, and only the
// pixels of a converted picture are kept.
func TestPolyglotsAreServedAsOneType(t *testing.T) {
	t.Parallel()
	l := open(t)
	m := noisePicture(20, 10, 3)
	const script = "<script>alert(document.domain)</script>"
	comment := "\xff\xfe\x00\x29" + script // a JPEG segment of 2 + 39 bytes
	jpeg := strings.Replace(string(jpegOf(t, m)), "\xff\xd8", "\xff\xd8"+comment, 1)
	for _, c := range []struct {
		name, kind string
		file       []byte
		mime, end  string // empty: refused
	}{
		{"HTML in a JPEG's comment", "image", []byte(jpeg), "image/webp", ".webp"},
		{"HTML after a PNG", "image", append(pngOf(t, m), script...), "image/webp", ".webp"},
		{"an archive after a PNG", "image", append(pngOf(t, m), "PK\x03\x04\x14\x00\x00\x00\x00\x00"...), "image/webp", ".webp"},
		{"HTML before a PNG", "image", append([]byte(script), pngOf(t, m)...), "", ""},
		{"a document before a GIF", "image", append([]byte("%PDF-1.7\n"), gifOf(t, m)...), "", ""},
		{"an SVG inside HTML", "image", []byte("<!DOCTYPE html><html><svg/></html>"), "", ""},
		{"HTML in an SVG", "image", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><foreignObject>` + script + `</foreignObject></svg>`), "image/svg+xml", ".svg"},
		{"entities in an SVG", "image", []byte(`<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&b;&x;</svg>`), "image/svg+xml", ".svg"},
		{"HTML as a file", "file", []byte("<!DOCTYPE html>" + script), "text/html; charset=utf-8", ".html"},
		{"HTML before a video", "video", append([]byte(script), "\x00\x00\x00\x18ftypmp42"...), "", ""},
	} {
		u := l.announce(c.kind, "two.png")
		l.put(u, c.file)
		if c.mime == "" {
			if status, answer := l.Call("POST", "/v1/storages/files/"+u.uploadID+"/done", l.Owner, nil); status != 400 {
				t.Errorf("%s: %d %v", c.name, status, answer)
			}
			continue
		}
		done := l.done(u)
		if done["mime"] != c.mime || !strings.HasSuffix(done["public_path"].(string), c.end) {
			t.Errorf("%s: %v", c.name, done)
		}
		row, err := l.served(done)
		if err != nil {
			t.Fatal(err)
		}
		served, err := l.Blobs.ReadAll(t.Context(), row.SHA256, 1<<20)
		if err != nil || c.mime == "image/webp" && (bytes.Contains(served, []byte("script")) || bytes.Contains(served, []byte("PK\x03\x04"))) {
			t.Errorf("%s: %d bytes are served, %v", c.name, len(served), err)
		}
	}
}

// A name may contain any byte; the URL does not depend on it.
func TestNamesOfAnyBytes(t *testing.T) {
	t.Parallel()
	l := open(t)
	id := l.stored("file", "plain.txt", []byte("text"))["id"].(string)
	for b := range 256 {
		if b%100 == 99 {
			l.Clock.Advance(6e10) // a new window of the rate limit
		}
		raw := "{\"original_name\":\"a" + escapedByte(byte(b)) + "b.txt\"}"
		status, answer := l.Call("POST", "/v1/storages/files/"+id+"/rename", l.Owner, raw)
		switch {
		case b < ' ' || b >= 0x7f: // bytes from 0x80 on are not UTF-8 on their own
			if status != 400 || apitest.Code(answer) != "INVALID_REQUEST" {
				t.Errorf("byte %#02x: %d %v", b, status, answer)
			}
		case status != 200:
			t.Errorf("byte %#02x: %d %v", b, status, answer)
		default:
			f := answer["result"].(apitest.Map)
			if at, err := url.Parse(f["url"].(string)); err != nil || at.Path != "/files/products/"+id+".txt" {
				t.Errorf("byte %#02x: %v", b, f)
			}
		}
	}
}

// escapedByte returns a byte as it must be written in a JSON string.
func escapedByte(b byte) string {
	if b < ' ' || b == '"' || b == '\\' {
		return fmt.Sprintf(`\u%04x`, b)
	}
	return string([]byte{b})
}
