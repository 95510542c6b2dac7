package render

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vitrine/compile/richtext"
	"vitrine/internal/shop"
)

// view is the data of a page's templates.
type view struct {
	*Frame
	T    *words
	Page Page

	Title       string
	Heading     string
	Description string
	paging      Paging
}

// maxDescription is the maximum length in bytes of the page's own text in place of a missing
// meta description: about as much as search engines show.
const maxDescription = 300

func newView(p Page) *view {
	f := p.frame()
	v := &view{Frame: f, T: wordsOf(f), Page: p}
	name := p.name(v.T)
	v.Heading = cmp.Or(f.SEO.Heading, name)
	v.Title = f.SEO.Title
	if _, home := p.(*Home); home && v.Title == "" {
		v.Title = f.Shop.Face.Title
	}
	if v.Title == "" {
		v.Title = v.Heading
		if f.Shop.Name != "" && f.Shop.Name != v.Title {
			v.Title += " · " + f.Shop.Name
		}
	}
	v.Description = f.SEO.Description
	if v.Description == "" {
		v.Description = cmp.Or(clip(richtext.Plain(cmp.Or(about(p, v.T), firstText(f.Layout.Body))), maxDescription), f.Shop.Face.Description)
	}
	v.paging = pagingOf(p)
	if v.paging.Current > 1 {
		v.Title += " · " + v.T.PageNumber + " " + strconv.Itoa(v.paging.Current)
	}
	return v
}

// Date is the day of a moment in the shop's time zone, in words.
func (v *view) Date(at time.Time) string { return v.T.Date(at.In(shop.Clock(v.Shop.Timezone))) }

// Day is Date in machine-readable form.
func (v *view) Day(at time.Time) string { return shop.DayOf(at, shop.Clock(v.Shop.Timezone)).String() }

// about is the page's own text; t is the language of the platform's texts.
func about(p Page, t *words) string {
	switch p := p.(type) {
	case *Home:
		return p.Category.Description
	case *Listing:
		return p.Category.Description
	case *Rubric:
		return p.Category.Description
	case *TextPage:
		return p.Category.Description
	case *ProductPage:
		return p.Product.Description
	case *ArticlePage:
		return p.Article.Announce
	case *ArticleFeed:
		return p.Category.Description
	case *SearchPage:
		return p.about(t)
	}
	return ""
}

// firstText is the first text the owner wrote in the blocks, used for pages without their own
// text. Texts drawn by the platform do not count.
func firstText(blocks []Block) string {
	for _, b := range blocks {
		text := ""
		if b.Kind == BlockText && !b.Literal {
			text = b.Text
		}
		if w := b.Widget; w != nil {
			for _, i := range w.Items {
				text = cmp.Or(text, i.Text("text"))
			}
			text = cmp.Or(text, w.Props.Text("text"))
			for _, cell := range w.Cells {
				text = cmp.Or(text, firstText(cell))
			}
		}
		if text = cmp.Or(text, cmp.Or(firstText(b.Group), firstText(b.Aside))); text != "" {
			return text
		}
	}
	return ""
}

func pagingOf(p Page) Paging {
	switch p := p.(type) {
	case *Listing:
		return p.Paging
	case *Rubric:
		return p.Paging
	case *SearchPage:
		return p.Paging
	}
	return Paging{}
}

// hidden reports whether search engines must not index the page, whatever the shop set:
// guarded zones, forms, searches without exact results, the 404 page and the pages in front
// of closed ones.
func (v *view) hidden() bool {
	switch p := v.Page.(type) {
	case *NotFoundPage, *PinPage, *ClosedPage, *ZonePage, *FormPage, *RemarkPage, *UnsubscribePage, *Suggestions:
		return true
	case *SearchPage:
		return !p.kept()
	}
	return v.Guarded || v.Search != "" || v.Narrow != ""
}

// Top reports whether the page's breadcrumbs and heading are drawn.
func (v *view) Top() bool { return !v.Layout.HideSystem }

// BodyClass is the classes that the layout adds to the page's body.
func (v *view) BodyClass() string {
	if v.Guarded {
		return ""
	}
	return v.Layout.Class
}

// Robots is the content of the robots meta, empty when everything is allowed.
func (v *view) Robots() string {
	var out []string
	if v.SEO.NoIndex || v.Shop.Face.NoIndex || v.hidden() {
		out = append(out, "noindex")
	}
	if v.SEO.NoFollow {
		out = append(out, "nofollow")
	}
	return strings.Join(out, ", ")
}

// Keywords is the content of the keywords meta.
func (v *view) Keywords() string { return strings.Join(v.SEO.Keywords, ", ") }

// CanonicalURL is the page's canonical address. Pages that search engines do not index have
// none.
func (v *view) CanonicalURL() string {
	if v.hidden() {
		return ""
	}
	return v.Canonical
}

// Prev and Next are the shop paths of the neighbouring pages of a listing.
func (v *view) Prev() string { return v.paging.prev(v.Path) }
func (v *view) Next() string { return v.paging.next(v.Path) }

// FirstPage reports whether to print the section's own text: it is not repeated on later
// pages of a listing.
func (v *view) FirstPage() bool { return v.paging.Current <= 1 }

// OGType is the Open Graph type.
func (v *view) OGType() string {
	switch v.Page.(type) {
	case *ProductPage:
		return "product"
	case *ArticlePage:
		return "article"
	}
	return "website"
}

// OGImage is the picture of the page with an absolute address: the one chosen by its owner,
// unchanged, else the page's own. A page's own picture is resized, and its resulting height
// is unknown here.
func (v *view) OGImage() Image {
	if i := v.SEO.Image; i.Path != "" {
		i.Path = v.absolute(escapePath(i.Path))
		return i
	}
	if i := pictureOf(v.Page); i.Path != "" {
		return Image{Path: v.absolute(i.Resized(1024))}
	}
	if i := imageOf(v.Shop.Face.Card, v.Shop.Name); i.Path != "" {
		i.Path = v.absolute(escapePath(i.Path))
		return i
	}
	return Image{}
}

func pictureOf(p Page) Image {
	switch p := p.(type) {
	case *Home:
		return p.Category.Image
	case *Listing:
		return p.Category.Image
	case *Rubric:
		return p.Category.Image
	case *TextPage:
		return p.Category.Image
	case *ProductPage:
		return p.Product.cover()
	case *ArticlePage:
		return p.Article.Cover
	}
	return Image{}
}

// absolute puts the shop's origin before a shop path.
func (v *view) absolute(path string) string {
	if strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") {
		return v.Shop.Origin + path
	}
	return path
}

// LastCrumb reports whether crumb i is the page itself.
func (v *view) LastCrumb(i int) bool { return i == len(v.Crumbs)-1 }

// Money prints a price of the shop.
func (v *view) Money(amount int64) string {
	return PriceText(amount, v.Shop.Currency, v.Shop.Digits, v.T.Lang)
}

// Weight formats a weight, empty for 0.
func (v *view) Weight(grams int64) string { return weightText(grams, v.T) }

// Number converts an index to a number counted from one.
func (v *view) Number(i int) int { return i + 1 }

// FullLoad reports whether the page is always entered and left by a full load: the guarded
// zones, where no script of an author may run (document 3, 4.6.6), and the pages in front of
// closed ones.
func (v *view) FullLoad() bool {
	switch v.Page.(type) {
	case *PinPage, *ClosedPage:
		return true
	}
	return v.Guarded
}

// The storefront's own files.
func (v *view) CSS() string     { return packed().style.Path }
func (v *view) ZoneCSS() string { return packed().zone.Path }

// JS is the page's script. A preview has one that also talks to the cabinet around it.
func (v *view) JS() string {
	if v.Preview {
		return packed().preview.Path
	}
	return packed().script.Path
}

func (v *view) Icon() string { return packed().icon.Path }

// paragraphs splits plain text at empty lines. Single line breaks stay in the text; the style
// sheet preserves them.
func paragraphs(text string) []string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	var out []string
	var lines []string
	flush := func() {
		if len(lines) > 0 {
			out = append(out, strings.Join(lines, "\n"))
			lines = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			flush()
		} else {
			lines = append(lines, line)
		}
	}
	flush()
	return out
}

// initial is the first letter of a name, in upper case.
func initial(name string) string {
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	return "•"
}

// clip shortens text to one line of at most max bytes, at a word boundary if possible.
func clip(text string, max int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= max {
		return text
	}
	cut := max - len("…")
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	if space := strings.LastIndexByte(text[:cut], ' '); space > cut/2 {
		cut = space
	}
	return text[:cut] + "…"
}
