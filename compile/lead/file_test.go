package lead

import (
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	png  = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
	pdf  = "%PDF-1.7\n"
	ole  = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
	html = "<!doctype html><script>alert(1)</script>"
)

func TestFileTypesComeFromTheirBytes(t *testing.T) {
	for _, c := range []struct{ head, name, mime, clean string }{
		{png, "a.png", "image/png", "a.png"}, {png, "a.html", "image/png", "a.html.png"}, {pdf, "CV.PDF", "application/pdf", "CV.PDF"}, {pdf, "cv", "application/pdf", "cv.pdf"},
		{"Hello", "a.txt", "text/plain", "a.txt"}, {"Hello", "a.bat", "text/plain", "a.bat.txt"}, {"a,b\n1,2\n3,4\n", "a.csv", "text/csv", "a.csv"},
		{"PK\x03\x04\x14\x00\x00\x00\x00\x00", "a.jar", "application/zip", "a.jar.zip"},
		{html, "a.txt", "", ""}, {"  \n" + html, "a.txt", "", ""}, {"\ufeff" + html, "a.png", "", ""}, {`<svg xmlns="http://www.w3.org/2000/svg"/>`, "a.png", "", ""},
		{`<?xml version="1.0"?><a/>`, "a.txt", "", ""}, {"#!/bin/sh\nrm", "a.txt", "", ""}, {"MZ\x90\x00\x03", "a.png", "", ""}, {"\x7fELF\x02\x01\x01", "a.pdf", "", ""},
		{ole, "a.doc", "", ""}, {"hello <SCRIPT>", "a.txt", "", ""}, {"\x00\x01\x02", "a.png", "", ""}, {"", "a.txt", "text/plain", "a.txt"},
		{"\xca\xfe\xba\xbe\x00\x00\x00\x34", "A.class", "", ""}, {"PK\x03\x04\x14\x00\x08\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x14\x00\x04\x00META-INF/MANIFEST.MF", "a.zip", "", ""},
	} {
		mime, clean, ok := ReadFile([]byte(c.head), c.name)
		if mime != c.mime || clean != c.clean || ok != (c.mime != "") {
			t.Errorf("%.20q as %s is %s %s %t, want %s %s", c.head, c.name, mime, clean, ok, c.mime, c.clean)
		}
	}
}

func TestFileNamesAreCleaned(t *testing.T) {
	for name, want := range map[string]string{
		`C:\Users\Ann\cv.pdf`: "cv.pdf", "../../etc/passwd": "passwd", "a\r\nSet-Cookie: x": "aSet-Cookie_ x", "a\u202egnp.exe": "agnp.exe", ".. ": "file", "": "file",
		"\x00": "file", `"><img>.png`: "___img_.png", "дом.pdf": "дом.pdf", "a\xff.pdf": "a.pdf", strings.Repeat("x", 300) + ".pdf": strings.Repeat("x", 146) + ".pdf", "con:": "con_",
	} {
		if got := FileName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

func FuzzFile(f *testing.F) {
	for _, seed := range []string{png, pdf, ole, html} {
		f.Add([]byte(seed), "a.png")
	}
	f.Fuzz(func(t *testing.T, head []byte, name string) {
		mime, clean, ok := ReadFile(head, name)
		if !ok {
			return
		}
		if !utf8.ValidString(clean) || clean == "" || strings.ContainsAny(clean, "/\\\r\n\x00\"") || len([]rune(clean)) > maxFileName+6 ||
			!strings.Contains(","+FileNames()+",", ","+strings.ToLower(clean[strings.LastIndex(clean, "."):])+",") || strings.Contains(mime, "html") || strings.Contains(mime, "svg") {
			t.Errorf("%q is %s %q", name, mime, clean)
		}
		if again := FileName(clean); again != clean && len([]rune(clean)) <= maxFileName {
			t.Errorf("%q is cleaned to %q", clean, again)
		}
	})
}
