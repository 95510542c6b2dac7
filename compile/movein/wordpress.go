package movein

import (
	"html"
	"io"
	"regexp"
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// wordPress reads an export of posts and pages (WXR).
func (e *engine) wordPress(name string, r io.Reader) error {
	attached := map[string]string{} // addresses of pictures, by number
	covers := map[int]string{}      // number of an article's picture, by its place in the plan
	pageCovers := map[int]string{}
	err := e.items(name, r, map[string]bool{"item": true}, func(at Place, n *node) {
		number := n.first("post_id")
		switch n.first("post_type") {
		case "attachment":
			if len(attached) < maxHeld {
				attached[number] = n.first("attachment_url")
			}
			return
		case "post", "page":
		default:
			return
		}
		p, ok := e.wordPressPage(at, n)
		if !ok {
			return
		}
		cover := n.meta("_thumbnail_id")
		if n.first("post_type") == "page" {
			p.Old = numberedOld(p.Old, "/?page_id=", number)
			pageCovers[len(e.plan.Pages)] = cover
			e.plan.Pages = append(e.plan.Pages, p)
			return
		}
		p.Old = numberedOld(p.Old, "/?p=", number)
		a := Article{Page: p, Summary: e.short(at, strings.TrimSpace(dropControls(n.excerpt())), 2000), PublishedAt: date(n.first("post_date_gmt"))}
		if a.PublishedAt.IsZero() {
			a.PublishedAt = date(n.first("post_date"))
		}
		a.Rubrics, a.Tags = n.terms("category"), n.terms("post_tag")
		covers[len(e.plan.Articles)] = cover
		e.plan.Articles = append(e.plan.Articles, a)
	})
	for i, number := range covers {
		e.plan.Articles[i].Picture = e.address(&wordPressPictures, e.plan.Articles[i].Place, attached[number])
	}
	for i, number := range pageCovers {
		e.plan.Pages[i].Picture = e.address(&wordPressPictures, e.plan.Pages[i].Place, attached[number])
	}
	return err
}

// numberedOld adds the address that consists of a number, if there is one.
func numberedOld(old []string, before, number string) []string {
	if !isNumber(number) {
		return old
	}
	return append(old, before+number)
}

var wordPressPictures = format{pictures: "/"}

// wordPressPage reads what posts and pages have in common.
func (e *engine) wordPressPage(at Place, n *node) (p Page, ok bool) {
	status := n.first("status")
	if status == "trash" || status == "auto-draft" || status == "inherit" {
		return p, false
	}
	title := line(n.first("title"))
	slug := code(n.first("post_name"))
	text := ""
	for _, c := range n.children {
		switch {
		case c.name == "encoded" && !strings.Contains(c.space, "excerpt"):
			text = c.text.String()
		case c.name == "comment":
			e.lose(at, Changed, "COMMENTS_SKIPPED", title)
		}
	}
	p = Page{
		Title: e.short(at, or(title, slug), maxText), text: e.spool.keep(e.short(at, wordPressText(text), maxDescription)), Place: at,
		Published: status == "publish" && n.first("post_password") == "",
		Seo:       Seo{shop.Clip(line(n.meta("_yoast_wpseo_title")), maxText), shop.Clip(line(n.meta("_yoast_wpseo_metadesc")), 4*maxText)},
	}
	if p.Title == "" {
		p.Title = strings.TrimSpace(n.first("post_type") + " " + n.first("post_id"))
	}
	e.pageKey(&p, slug)
	if path := pathOf(n.first("link")); path != "" {
		p.Old = append(p.Old, path)
	}
	return p, true
}

// pageKey gives a text its key and slug.
func (e *engine) pageKey(p *Page, handle string) {
	handle = decoded(handle)
	p.Key, p.Slug = e.key(or(handle, p.Title)), slugFor(handle, p.Title, "article")
}

// excerpt returns the summary of a post.
func (n *node) excerpt() string {
	for _, c := range n.children {
		if c.name == "encoded" && strings.Contains(c.space, "excerpt") {
			return c.text.String()
		}
	}
	return ""
}

// meta returns a value of the table of metadata.
func (n *node) meta(key string) string {
	for _, c := range n.children {
		if c.name == "postmeta" && c.first("meta_key") == key {
			return strings.TrimSpace(c.first("meta_value"))
		}
	}
	return ""
}

// terms returns the names of a post's categories or tags.
func (n *node) terms(domain string) (out []string) {
	for _, c := range n.children {
		if c.name == "category" && c.attributes["domain"] == domain && len(out) < maxTags {
			if label := shop.Clip(line(c.text.String()), maxTags); label != "" && !slices.Contains(out, label) {
				out = append(out, label)
			}
		}
	}
	return out
}

var (
	blockComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	scripts      = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)\s*>`)
	shortcode    = regexp.MustCompile(`\[/?(caption|gallery|embed|audio|video|playlist)\b[^\]]*\]`)
	blankLines   = regexp.MustCompile(`\r?\n[ \t]*(?:\r?\n[ \t]*)+`)
	blockTag     = regexp.MustCompile(`(?i)^<(p|div|h[1-6]|ul|ol|table|blockquote|pre|figure|hr|section|article|dl)\b`)
)

// wordPressText makes HTML of the text of a post: block comments, scripts and shortcodes are
// dropped; in a classic text blank lines separate paragraphs.
func wordPressText(text string) string {
	blocks := strings.Contains(text, "<!-- wp:")
	text = scripts.ReplaceAllString(blockComment.ReplaceAllString(text, ""), "")
	text = strings.TrimSpace(shortcode.ReplaceAllString(dropControls(text), ""))
	if blocks || strings.Contains(text, "<p>") || strings.Contains(text, "<p ") || text == "" {
		return blankLines.ReplaceAllString(text, "\n")
	}
	parts := blankLines.Split(text, -1)
	for i, part := range parts {
		if part = strings.TrimSpace(part); part != "" && !blockTag.MatchString(part) {
			parts[i] = "<p>" + strings.ReplaceAll(part, "\n", "<br>\n") + "</p>"
		}
	}
	return strings.Join(parts, "\n")
}

// unescape decodes the entities of a plain text.
func unescape(text string) string {
	if strings.IndexByte(text, '&') < 0 {
		return text
	}
	return html.UnescapeString(text)
}
