package richtext

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

var options = Options{
	Level: 3, Origin: "https://tea.example", Table: "Table",
	Page: func(id shop.CategoryID) string {
		if id == 5 {
			return "/about"
		}
		return ""
	},
	Picture: func(p Picture) string {
		return fmt.Sprintf(`<img src="%s" alt="%s" width="%d" height="%d">`, p.Path, strings.NewReplacer(`"`, "&#34;", "<", "&lt;").Replace(p.Alt), p.Width, p.Height)
	},
}

func TestATextIsHTMLWhenItHasACompleteAllowedTag(t *testing.T) {
	for text, expect := range map[string]bool{
		"": false, "plain": false, "a < b": false, "5 <3": false, "a <b and c> d": false, "x<y>z": false, "1 <p": false, "<p title=\"": false,
		"<script>alert(1)</script>": false, "<custom>": false, "<pre-order>": false, "<!-- p -->": false, "&lt;p&gt;": false, "<>": false, "<h7>": false,
		"mail <info@tea.example>": false, "<i>": true, "one<br>two": true, "one<br/>two": true, "<BR />": true, "<p>x": true, "</p>": true,
		`<p class="x">y`: true, "<p class=x>": true, "<a href='/x'>y</a>": true, "<h1>": true, "<div>x</div>": true, "<span style='a'>x</span>": true,
		"<b <i>": true, "a < b <b>c</b>": true, "<p\nclass = x >": true,
	} {
		if Is(text) != expect {
			t.Errorf("Is(%q) = %v", text, !expect)
		}
	}
}

func TestDrawKeepsAllowedElementsOnly(t *testing.T) {
	for _, c := range []struct{ text, expect string }{
		{"<p>One</p><p>Two</p>", "<p>One</p><p>Two</p>"},
		{"<p>One\ntwo</p>", "<p>One\ntwo</p>"},
		{"One <b>bold</b>\nline\n\n<i>Two</i>\r\n\r\n\r\nThree", "<p>One <b>bold</b><br/>line</p><p><i>Two</i></p><p>Three</p>"},
		{"One<br>\ntwo", "<p>One<br/>\ntwo</p>"},
		{"loose <b>words</b><p>One</p>more", "<p>loose <b>words</b></p><p>One</p><p>more</p>"},
		{"<div>One</div><div>Two <b>x</b></div><div><p>Three</p></div>", "<p>One</p><p>Two <b>x</b></p><p>Three</p>"},
		{"<p>&nbsp;</p><p> </p><h2></h2><p>x</p>", "<p>x</p>"},
		{"<span style=x>One</span>", "<p>One</p>"},
		{"a < b <em>c</em> & d", "<p>a &lt; b <em>c</em> &amp; d</p>"},
		{"<h1>a</h1><h4>b</h4><h4>c</h4><h2>d</h2><h1>e</h1>", "<h3>a</h3><h4>b</h4><h4>c</h4><h4>d</h4><h3>e</h3>"},
		{"<h2>a</h2><h3>b</h3><h4>c</h4><h5>d</h5><h6>e</h6>", "<h3>a</h3><h4>b</h4><h5>c</h5><h6>d</h6><h6>e</h6>"},
		{"<ul><li>a<ul><li>b</ul><li><p>c</p></ul>", "<ul><li><p>a</p><ul><li>b</li></ul></li><li><p>c</p></li></ul>"},
		{"<ul>a<ul><li>b</ul></ul>", "<ul><li>a</li><li><ul><li>b</li></ul></li></ul>"},
		{"<li>a</li> <li>b</li><p>c</p>", "<ul><li>a</li><li>b</li></ul><p>c</p>"},
		{"<ol start=5><li value=2>a</ol>", "<ol><li>a</li></ol>"},
		{"<ul><hr><li>a</li></ul>", "<ul><li><hr/></li><li>a</li></ul>"},
		{"<h2><hr></h2><a href=\"/x\"><hr></a><p>x</p>", "<p>x</p>"},
		{"<a href=\"/x\"><hr></a>", ""},
		{"<pre>\n\na</pre>", "<pre tabindex=\"0\">\n\na</pre>"},
		{"<blockquote>said</blockquote><hr><pre>a\n  b <b>c</b></pre>", "<blockquote><p>said</p></blockquote><hr/><pre tabindex=\"0\">a\n  b c</pre>"},
		{
			"<table border=1><tr><th colspan=2 onclick=x>a</th></tr><tr><td rowspan=999>b</td><td><p>c</p></td></table>",
			`<div class="v-rich__wide" role="group" tabindex="0" aria-label="Table"><table><tbody><tr><th colspan="2">a</th></tr><tr><td rowspan="100">b</td><td><p>c</p></td></tr></tbody></table></div>`,
		},
		{`<a href="/teas">x</a>`, `<p><a href="/teas">x</a></p>`},
		{`<a href="https://tea.example/teas?a=1&b=2">x</a>`, `<p><a href="/teas?a=1&amp;b=2">x</a></p>`},
		{`<a href="HTTPS://TEA.example">x</a>`, `<p><a href="/">x</a></p>`},
		{`<a href="https://tea.example.evil/">x</a>`, `<p><a href="https://tea.example.evil/" rel="nofollow noopener">x</a></p>`},
		{`<a href="https://tea.example//evil">x</a>`, `<p><a href="https://tea.example//evil" rel="nofollow noopener">x</a></p>`},
		{`<a href="mailto:a@b.example">x</a> <a href="tel:+1">y</a>`, `<p><a href="mailto:a@b.example">x</a> <a href="tel:+1">y</a></p>`},
		{`<a href="form:7">x</a> <a href="svc:page/5#top">y</a> <a href="svc:page/6">z</a>`, `<p><a href="` + shop.FormPrefix + `7">x</a> <a href="/about#top">y</a> z</p>`},
		{`<a href="javascript:alert(1)">x</a> <a>y</a> <a href="//evil.example">z</a>`, `<p>x y z</p>`},
		{`<a href="/x"><p>block</p></a>`, `<p><a href="/x"> block </a></p>`},
		{`<img src="/files/1/a.png" alt="&quot;A&quot;" width=640 height="480px">`, `<p><img src="/files/1/a.png" alt="&#34;A&#34;" width="640" height="480"></p>`},
		{`<img src="https://tea.example/w/320/webp/1/a.png" width=x>`, `<p><img src="/files/1/a.png" alt="" width="0" height="0"></p>`},
		{`<img src="https://other.example/a.png"><p>x</p>`, `<p>x</p>`},
		{`<img src="/files/../secret"><img src="/files/1/a b.png"><p>x</p>`, `<p>x</p>`},
		{`<p style="color:red" class="v-buy" onclick="x()" id=y>x</p>`, `<p>x</p>`},
		{`<p>x</p><script>alert(1)</script><style>p{}</style><iframe src=x>y</iframe>`, `<p>x</p>`},
		{`<b><p>one</p></b>`, `<p>one</p>`},
	} {
		if got := Draw(c.text, options); got != c.expect {
			t.Errorf("%q\n got %s\nwant %s", c.text, got, c.expect)
		}
	}
}

func TestPlainReturnsTheWordsOfAText(t *testing.T) {
	for _, c := range []struct{ text, expect string }{
		{"a < b\n\nc  d ", "a < b\n\nc  d "},
		{"<p>One <b>two</b></p><p>Three</p>", "One two\n\nThree"},
		{"<h2>Tea</h2>is<br>good &amp; <i>warm</i>&nbsp;!", "Tea\n\nis\ngood & warm\u00a0!"},
		{"<ul><li>a</li><li>b</li></ul>after", "• a\n• b\nafter"},
		{"<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"},
		{"<p>x</p><script>alert(1)</script><style>p{}</style><textarea><b>y</b></textarea>z", "x\n\nz"},
		{"<p>x</p><script>alert(1)", "x"},
		{"<b>a</b><i>b</i> <span>c</span>", "ab c"},
	} {
		if got := Plain(c.text); got != c.expect {
			t.Errorf("Plain(%q) = %q, want %q", c.text, got, c.expect)
		}
	}
}

func TestATextBeyondTheLimitsIsDrawnAsItsWords(t *testing.T) {
	for name, text := range map[string]string{
		"tags":  strings.Repeat("<b>x</b>", maxTags) + "end",
		"bytes": "<p>" + strings.Repeat("words ", maxBytes/6+1) + "end",
		"depth": strings.Repeat("<blockquote>", 600) + "end",
		// Every paragraph reopens the elements that earlier ones left open.
		"left open": strings.Repeat("<b><b><b><i><i><i><em><em><em><s><s><s><u><u><u><code><code><code>", 1) + strings.Repeat("<p>x", 9000) + "end",
	} {
		t.Run(name, func(t *testing.T) {
			got := Draw(text, options)
			if !strings.Contains(got, "end") || strings.Contains(got, "<b") || strings.Count(got, "<") > maxElements*2+2 {
				t.Errorf("%d bytes, %d tags, ends with %q", len(got), strings.Count(got, "<"), got[max(0, len(got)-40):])
			}
		})
	}
}

func TestDeeplyNestedElementsAreDrawnAsWords(t *testing.T) {
	got := Draw(strings.Repeat("<ul><li>", 100)+"deep <b>words</b>", options)
	if n := strings.Count(got, "<ul>"); n > maxDepth || !strings.Contains(got, "deep words") {
		t.Errorf("%d lists, %s", n, got)
	}
}
