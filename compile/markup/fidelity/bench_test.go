package fidelity

import (
	"strings"
	"testing"
	"time"

	"vitrine/compile/markup"
)

// BenchmarkCheck checks a document of about 200 KB, and compares with compiling it.
func BenchmarkCheck(b *testing.B) {
	page := "<!DOCTYPE html><html><head><title>x</title><style>" +
		strings.Repeat("body .card > a:hover{background:url(img/a.png) no-repeat;color:var(--x)}\n", 300) + "</style></head><body>" +
		strings.Repeat(
			`<div class="card" style="color:red"><a href="about.html">About us &amp; more</a><img src="img/a.png" srcset="img/a.png 1x, img/b.png 2x" width="5" height="5" alt=""><p>Some text of a usual length, with <b>bold</b> parts.</p></div>`+"\n",
			900,
		)
	src := markup.Source{Doc: "7", Release: "3", Index: []byte(page), Files: func(string) bool { return true }}
	start := time.Now()
	if _, err := markup.Compile(src); err != nil {
		b.Fatal(err)
	}
	compiling := time.Since(start)
	for b.Loop() {
		Check(src)
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(compiling), "x-of-compile")
}
