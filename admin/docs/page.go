package docs

import (
	"strconv"
	"strings"
	"sync"

	"vitrine/admin/api"
)

// page is a text as Markdown and as HTML, each created on first use.
type page struct {
	markdown func() (string, error)
	html     func() ([]byte, error)
}

func newPage(text func() (string, error)) *page {
	markdown := sync.OnceValues(text)
	return &page{markdown: markdown, html: sync.OnceValues(func() ([]byte, error) {
		text, err := markdown()
		if err != nil {
			return nil, err
		}
		return toHTML(text)
	})}
}

// answer returns the form that the caller accepts.
func (p *page) answer(c *api.Call) (api.Raw, error) {
	c.SetHeader("Vary", "Accept")
	if !prefersHTML(c.Header("Accept")) {
		text, err := p.markdown()
		return api.Document("text/markdown; charset=utf-8", []byte(text), maxAge), err
	}
	body, err := p.html()
	c.SetHeader(
		"Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	)
	return api.Document("text/html; charset=utf-8", body, maxAge), err
}

// prefersHTML reports whether an Accept header contains text/html and does not prefer Markdown or
// plain text. Clients that accept everything get Markdown, because they are not browsers.
func prefersHTML(accept string) bool {
	html, text := 0.0, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		name, params, _ := strings.Cut(part, ";")
		q := quality(params)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "text/html":
			html = max(html, q)
		case "text/markdown", "text/plain":
			text = max(text, q)
		}
	}
	return html > 0 && html >= text
}

// quality parses the q of a media range; the default is 1.
func quality(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if strings.EqualFold(name, "q") {
			q, err := strconv.ParseFloat(value, 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return 0
			}
			return q
		}
	}
	return 1
}
