package render

import (
	"encoding/json"
	"html"
	"html/template"
	"strings"
)

// SearchPath is the address of the shop's search.
const SearchPath = "/search"

// SearchPage is the result of a search of the shop; without words it lists all products.
type SearchPage struct {
	Frame
	Words     string
	Products  []ProductCard
	Total     int // products on all pages
	Paging    Paging
	Finder    *Finder
	Similar   bool   // no product matches exactly: these are similar
	Meant     string // suggested correction, from the shop's words; empty: none
	Sections  []CategoryCard
	Articles  []ArticleCard
	Nothing   bool          // nothing was found: Sections are those of the shop
	Suggested []ProductCard // suggested products in that case
}

func (p *SearchPage) frame() *Frame    { return &p.Frame }
func (p *SearchPage) template() string { return "search" }
func (p *SearchPage) name(t *words) string {
	if p.Words == "" {
		return t.Find.All
	}
	return t.Find.Found(p.Words)
}

// SearchFor is the address of a search.
func SearchFor(words string) string { return address(SearchPath, words, "", 1) }

// SearchFor makes the function available to templates.
func (v *view) SearchFor(words string) string { return SearchFor(words) }

// FoundFor is the heading of a result. Search words are isolated, because words of the
// opposite direction would reorder the count and the quotation marks beside them.
func (v *view) FoundFor(words string) template.HTML { return isolated(v.T.Find.Found, words) }

// NearTo announces results similar to the search words.
func (v *view) NearTo(words string) template.HTML { return isolated(v.T.Find.Near, words) }

// isolated puts the visitor's words into a bdi element of a sentence.
func isolated(sentence func(string) string, words string) template.HTML {
	before, after, _ := strings.Cut(html.EscapeString(sentence("\x00")), "\x00")
	return template.HTML(before + "<bdi>" + html.EscapeString(words) + "</bdi>" + after)
}

// kept reports whether search engines may index the page: it has exact results, and is the
// first page without filters.
func (p *SearchPage) kept() bool {
	return p.Total > 0 && !p.Similar && p.Paging.Current <= 1 && p.Narrow == ""
}

// about is the page's description for search engines.
func (p *SearchPage) about(t *words) string {
	if !p.kept() {
		return ""
	}
	return p.name(t) + ": " + t.Products(p.Total) + " · " + p.Shop.Name
}

// Suggestions are the completions of what a visitor has typed so far. They are sent as JSON,
// not as a page; the frame carries the language and the shop.
type Suggestions struct {
	Frame
	Words    string
	Products []ProductCard
	Sections []Crumb
	Articles []Crumb
	Meant    string
}

func (p *Suggestions) frame() *Frame      { return &p.Frame }
func (p *Suggestions) template() string   { return "search" }
func (p *Suggestions) name(*words) string { return "" }

// suggested is one entry of the answer; only products have Price and Image.
type suggested struct {
	Kind  string `json:"kind"` // product, section, article, search
	Name  string `json:"name"`
	URL   string `json:"url"`
	Price string `json:"price,omitempty"`
	Image string `json:"image,omitempty"`
	Label string `json:"label,omitempty"` // the kind of entry in the shop's language, for display
}

// suggestedWidth is the width of the small pictures.
const suggestedWidth = 128

// AppendSuggestions prints suggestions as JSON after dst: {"items": [...]}.
func AppendSuggestions(dst []byte, page Page) ([]byte, error) {
	p, v := page.(*Suggestions), newView(page)
	items := []suggested{}
	if p.Meant != "" {
		items = append(items, suggested{Kind: "search", Name: p.Meant, URL: v.SearchFor(p.Meant), Label: v.T.Find.Meant})
	}
	for _, c := range p.Products {
		s := suggested{Kind: "product", Name: c.Name, URL: c.Path}
		if c.Priced() {
			s.Price = v.Money(c.Price)
		}
		if c.Image.Path != "" {
			s.Image = c.Image.Resized(suggestedWidth)
		}
		items = append(items, s)
	}
	for _, c := range p.Sections {
		items = append(items, suggested{Kind: "section", Name: c.Name, URL: c.Path, Label: v.T.Find.Sections})
	}
	for _, c := range p.Articles {
		items = append(items, suggested{Kind: "article", Name: c.Name, URL: c.Path, Label: v.T.Find.Articles})
	}
	body, err := json.Marshal(struct {
		Items []suggested `json:"items"`
	}{items})
	return append(dst, body...), err
}

// SuggestPath is the address of suggestions, with ?q=.
const SuggestPath = "/_vitrine/suggest"

// FoundArticles is the grid of the articles found by a search.
func (v *view) FoundArticles(list []ArticleCard) articleGridView {
	return v.articleGrid(ArticleGrid{Heading: v.T.Find.Articles, Articles: list})
}
