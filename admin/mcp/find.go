package mcp

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

const (
	maxQuery = 500
	maxWords = 20
	maxFound = 20
)

type findArguments struct {
	Query string `json:"query"`
}

// found is one match.
type found struct {
	Method  string       `json:"method"`
	Path    string       `json:"path"`
	Summary string       `json:"summary"`
	Scopes  []shop.Scope `json:"scopes,omitempty"` // that a key needs
	Guide   string       `json:"guide,omitempty"`
	Refused string       `json:"refused,omitempty"` // why the caller may not make the call
}

type foundCalls struct {
	Calls []found `json:"calls"`
	Note  string  `json:"note,omitempty"`
}

func (m *MCP) findCalls(ctx context.Context, c *api.Call, in findArguments) (any, error) {
	if err := c.Take(ctx, api.Read); err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(in.Query) > maxQuery {
		return nil, shop.ErrInvalidRequest.At("query").With("at most 500 characters")
	}
	words := wordsOf(in.Query)
	if len(words) > maxWords {
		words = words[:maxWords]
	}
	out := foundCalls{Calls: []found{}}
	for _, d := range m.ranked(words) {
		f := found{Method: d.row.Method, Path: d.row.Path, Summary: d.row.Summary, Scopes: d.row.Scopes, Guide: d.guide}
		if err := d.row.Admit(c.Identity); err != nil {
			f.Refused = why(err)
		}
		out.Calls = append(out.Calls, f)
	}
	if len(out.Calls) == 0 {
		out.Note = "No call matches. Use English nouns and verbs of a shop, such as product, section, order, image, publish; the guide quickstart has an overview."
	}
	return out, nil
}

// why returns code and detail of a refusal.
func why(err error) string {
	refusal, ok := shop.AsRefusal(err)
	if !ok {
		return err.Error()
	}
	return strings.TrimSuffix(refusal.Code+": "+refusal.Message(), ": ")
}

// document is a row with the weight of each word that describes it.
type document struct {
	row   *api.Endpoint
	words map[string]float64
	guide string // the guide that explains it best
}

// Weights of a word by where it stands.
const (
	inPath    = 4.0
	inMethod  = 3.0
	inSummary = 3.0
	inScope   = 1.5
	inFields  = 1.0
	inGuide   = 1.0
)

// verbs are words for what a method does.
var verbs = map[string]string{
	"GET":    "get read show list see find look fetch",
	"POST":   "create add new make post",
	"PUT":    "change update edit set put replace save",
	"PATCH":  "change update edit patch",
	"DELETE": "delete remove drop",
}

// synonyms are words of people for nouns of the API.
var synonyms = map[string]string{
	"page": "category section", "section": "category", "menu": "category", "image": "storages file picture", "photo": "storages file picture",
	"picture": "storages file", "html": "html document block", "widget": "content block", "blog": "article", "coupon": "promotion",
	"discount": "promotion", "shipping": "delivery", "refund": "refund", "inventory": "stock", "live": "publish", "theme": "theme layout", "undo": "rollback discard",
}

// documents returns the calls that a key may make, in the order of the table.
func (m *MCP) documents() (list []document) {
	guides := m.mentions()
	for i := range m.Table {
		row := &m.Table[i]
		if row.Auth == api.SessionOnly || row.SignsIn {
			continue
		}
		d := document{row: row, words: map[string]float64{}}
		d.add(row.Path, inPath)
		d.add(verbs[row.Method], inMethod)
		d.add(row.Summary, inSummary)
		for _, s := range row.Scopes {
			d.add(string(s), inScope)
		}
		d.add(strings.Join(m.fields(row), " "), inFields)
		best := 0
		for _, g := range guides[row.Method+" "+row.Path] {
			d.add(g.text, inGuide)
			if g.count > best {
				best, d.guide = g.count, g.path
			}
		}
		list = append(list, d)
	}
	return list
}

// add raises the weight of the words of a text; a word counts once, where it weighs most.
func (d *document) add(text string, weight float64) {
	for _, w := range wordsOf(text) {
		d.words[w] = max(d.words[w], weight)
	}
}

// mention is a guide that names a call: the text of the headings above it, and how often.
type mention struct {
	path, text string
	count      int
}

// mentions returns the guides that name a call, by "METHOD /path".
func (m *MCP) mentions() map[string][]mention {
	list := map[string][]mention{}
	for _, g := range m.guides() {
		text, err := g.Markdown()
		if err != nil {
			continue // reading the guide reports it
		}
		for i := range m.Table {
			call := m.Table[i].Method + " " + m.Table[i].Path
			if n := strings.Count(text, call+"`"); n > 0 {
				list[call] = append(list[call], mention{g.Path, g.Title + " " + g.Purpose, n})
			}
		}
	}
	return list
}

// ranked returns the documents that have at least one of the words, best first.
func (m *MCP) ranked(words []string) []document {
	type hit struct {
		document
		score float64
	}
	docs := m.index()
	rarity := map[string]float64{}
	for _, w := range words {
		n := 0
		for _, d := range docs {
			if d.weight(w) > 0 {
				n++
			}
		}
		rarity[w] = math.Log(1 + float64(len(docs))/float64(n+1))
	}
	var hits []hit
	for _, d := range docs {
		h := hit{document: d}
		for _, w := range words {
			h.score += rarity[w] * d.weight(w)
		}
		if h.score > 0 {
			h.score /= 1 + float64(strings.Count(d.row.Path, "/"))/20 // of equal calls the shorter one
			if takesBytes(d.row) {
				h.score /= 2 // it cannot be made through MCP
			}
			hits = append(hits, h)
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	var out []document
	for _, h := range hits[:min(len(hits), maxFound)] {
		out = append(out, h.document)
	}
	return out
}

// weight returns the weight of a word in a document; a synonym weighs half.
func (d document) weight(word string) float64 {
	best := d.words[word]
	for synonym := range strings.FieldsSeq(synonyms[word]) {
		best = max(best, d.words[stem(synonym)]*0.6)
	}
	return best
}

// wordsOf returns the different words of a text in a comparable form.
func wordsOf(text string) (list []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	}) {
		if w = stem(w); len(w) > 1 && !stopWords[w] && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list
}

// stem removes the plural of a word.
func stem(w string) string {
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ss"), len(w) < 4:
		return w
	}
	return strings.TrimSuffix(w, "s")
}

// stopWords say nothing about a call.
var stopWords = setOf("the a an of to in on with for and or its it is are be by from that this as at my our we me want how do can one all v1 id")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}
