package render

import (
	"encoding/json"
	"html"
	"html/template"
	"strings"
)

// SearchPath is the address of the shop's search.
const SearchPath = "/search"

// SearchPage is what a search of the shop has found; without words, all of its products.
type SearchPage struct {
	Frame
	Words     string
	Products  []ProductCard
	Total     int // products on all pages
	Paging    Paging
	Finder    *Finder
	Similar   bool   // no product is called so: these are like it
	Meant     string // what may have been meant, in the words of the shop; empty: nothing
	Sections  []CategoryCard
	Articles  []ArticleCard
	Nothing   bool          // was found: the sections are those of the shop
	Suggested []ProductCard // something to go on with then
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

// SearchFor is for templates.
func (v *view) SearchFor(words string) string { return SearchFor(words) }

// FoundFor heads what was found. Words in another direction keep to themselves: beside
// them the count would change places with the quotation marks.
func (v *view) FoundFor(words string) template.HTML { return isolated(v.T.Find.Found, words) }

// NearTo says that something is called nearly as what was looked for.
func (v *view) NearTo(words string) template.HTML { return isolated(v.T.Find.Near, words) }

// isolated is a sentence with a visitor's words in an element of their own.
func isolated(sentence func(string) string, words string) template.HTML {
	before, after, _ := strings.Cut(html.EscapeString(sentence("\x00")), "\x00")
	return template.HTML(before + "<bdi>" + html.EscapeString(words) + "</bdi>" + after)
}

// kept reports whether search engines may keep the page: it has found just what was
// asked for, and nobody else's words stand on it in vain.
func (p *SearchPage) kept() bool {
	return p.Total > 0 && !p.Similar && p.Paging.Current <= 1 && p.Narrow == ""
}

// about is what search engines say of the page.
func (p *SearchPage) about(t *words) string {
	if !p.kept() {
		return ""
	}
	return p.name(t) + ": " + t.Products(p.Total) + " · " + p.Shop.Name
}

// Suggestions are what may be meant by the beginning of what somebody types. They are
// no page but JSON; the frame carries the language and the shop.
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

// suggested is one line of the answer: Price and Image of products alone.
type suggested struct {
	Kind  string `json:"kind"` // product, section, article, search
	Name  string `json:"name"`
	URL   string `json:"url"`
	Price string `json:"price,omitempty"`
	Image string `json:"image,omitempty"`
	Label string `json:"label,omitempty"` // what kind of thing it is, in the shop's language
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

// SuggestPath is where suggestions are asked for, with ?q=.
const SuggestPath = "/_vitrine/suggest"

// FoundArticles are the articles that a search has found.
func (v *view) FoundArticles(list []ArticleCard) articleGridView {
	return v.articleGrid(ArticleGrid{Heading: v.T.Find.Articles, Articles: list})
}
