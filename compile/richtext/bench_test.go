package richtext

import (
	"strings"
	"testing"
)

// article is a text of usual shape with every kind of element, about 1,400 bytes, repeated.
func article(times int) string {
	return strings.Repeat(`<h2>Green tea &amp; water</h2><p>Water of <b>70 to 80 degrees</b>, a minute and <i>no longer</i>:
the <a href="/teas?kind=green&amp;sort=price">leaves</a> open by themselves. <a href="https://example.org/tea">More of it</a>.</p>
<ul><li>two spoons of leaves</li><li>a pot with a <code>lid</code><ul><li>of clay</li><li>of glass</li></ul></li></ul>
<blockquote><p>Good tea asks for little.</p></blockquote><div><span style="color:red">What is more</span>: <u>nothing</u><br>at all.</div>
<table border="1"><thead><tr><th colspan="2">Tea</th></tr></thead><tbody><tr><td>Sencha</td><td>70 °C, 1 min</td></tr>
<tr><td>Gyokuro</td><td>60 °C, 2 min</td></tr></tbody></table><img src="/files/1/tea.webp" alt="A cup" width="640" height="480">
<p class="MsoNormal" onclick="x()"></p><script>alert(1)</script><pre>1. boil
2. pour</pre><hr>`, times)
}

func BenchmarkDraw(b *testing.B) {
	for name, text := range map[string]string{"short": "<p>Thrown <b>by hand</b> &amp; fired</p>", "article": article(1), "100KB": article(80)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Draw(text, options)
			}
		})
	}
}

// BenchmarkIs measures texts in which no tag is found, or late.
func BenchmarkIs(b *testing.B) {
	for name, text := range map[string]string{
		"plain":    strings.Repeat("Water of 70 to 80 degrees, a minute and no longer. ", 2000),
		"signs":    strings.Repeat("a < b, 5 <3 and c > d; ", 4000),
		"late tag": strings.Repeat("Water of 70 to 80 degrees, a < b. ", 3000) + "<p>x</p>",
		"hostile":  strings.Repeat("<a x=", 20_000),
		"html":     article(80),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Is(text)
			}
		})
	}
}

func BenchmarkPlain(b *testing.B) {
	text := article(80)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Plain(text)
	}
}
