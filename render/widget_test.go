package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/compile/lead"
	"vitrine/compile/widget"
)

// fetched lists settings that change which data is loaded rather than how it is drawn:
// package compose reads them. There is only one template of listings.
var fetched = map[string]string{
	"productCard": "productId", "cards": "source productRefs articlesLimit", "articleListing": "source limit",
	"articleGrid": "limit categoryId rubricsVisible", "siteHeader": "logoId", "columns": "cells",
	"productListing": "categoryId limit source showFilter template", "form": "formId",
}

// furnished is a page with a widget that has all the content its kind can show.
func furnished(kind widget.Kind, props string) Page {
	pages := fixture()
	article := pages["article"].(*ArticlePage)
	home := pages["home"].(*Home)
	picture := Image{Path: "/files/a/cup.webp", Alt: "A cup", Width: 1600, Height: 2000}
	w := &Widget{
		Kind: kind.Name, Props: kind.Read(json.RawMessage(props)), Logo: picture, Rubrics: home.Sections,
		Products: home.Products.Products,
	}
	w.Form = &Form{ID: 3, Name: "Ask", Fields: []FormField{{Field: lead.Field{Name: "text", Type: lead.Textarea}}}}
	if kind.Name == "cards" {
		w.Products = nil
	}
	if kind.Name == "articleListing" {
		w.Articles = home.Articles.Articles
	}
	for _, item := range kind.ReadItems(json.RawMessage(`[{"title":"One","text":"First","url":"/one","question":"Why?","answer":"So."},{"title":"Two","text":"Second","question":"How?","answer":"Thus."}]`)) {
		w.Items = append(w.Items, Item{Values: item, Image: Image{Path: "/files/a/item.webp"}, Film: "/files/a/film.mp4"})
	}
	w.Cells = [][]Block{{{Kind: BlockText, Text: "left"}}, {{Kind: BlockText, Text: "right"}}}
	body := Block{Kind: BlockWidget, Widget: w}
	if kind.Name == "productListing" {
		body = Block{Kind: BlockProductListing, Products: ProductGrid{Products: w.Products, Props: w.Props}}
	}
	if kind.Name == "articleGrid" {
		cards := slices.Clone(home.Articles.Articles)
		for i := range cards {
			cards[i].Author = Author{Name: "Ines"}
		}
		body = Block{Kind: BlockArticleGrid, Articles: ArticleGrid{
			Articles: cards, Columns: int(w.Props.Int("columns")), Aspect: w.Props.Text("coverAspect"), Props: w.Props, Rubrics: home.Sections, Paging: Paging{Current: 1, Pages: 3},
		}}
	}
	article.Layout = Layout{Template: true, Body: []Block{body, {Kind: BlockPageHeading}}} // without a page heading, the widget's would become the h1
	return article
}

// under writes settings at the kind's write path, with the text that the style of a heading
// requires.
func under(t *testing.T, kind widget.Kind, settings map[string]any) string {
	t.Helper()
	var value any = settings
	if kind.Nest != "" {
		value = map[string]any{kind.Nest: settings}
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// besides lists the settings required for others to have an effect.
var besides = map[string]map[string]any{
	"cta":            {"titleText": "Buy", "bodyText": "Now", "buttonText": "Go", "buttonUrl": "/go"},
	"slideshow":      {"caption": "below", "zoom": false, "title": map[string]any{"text": "Words"}},
	"articleGrid":    {"readMoreStyle": "link", "searchVisible": true, "title": map[string]any{"text": "Words"}},
	"productListing": {"cardClick": "modal", "title": map[string]any{"text": "Words"}}, "cards": {"title": map[string]any{"text": "Words"}},
	"steps":    {"connector": true, "title": map[string]any{"text": "Words"}},
	"faq":      {"title": map[string]any{"text": "Words"}},
	"features": {"title": map[string]any{"text": "Words"}},
	"reels":    {"title": map[string]any{"text": "Words"}},
}

// others lists values that differ from the default.
func others(p widget.Prop) []any {
	switch {
	case p.Choices != nil:
		var out []any
		for _, c := range p.Choices {
			if fmt.Sprint(c) != fmt.Sprint(p.Default) {
				out = append(out, c)
			}
		}
		return out
	case p.Type == widget.Bool:
		return []any{p.Default != true}
	case p.Name == "maxItems":
		return []any{p.Min}
	case p.Type == widget.Int && p.Max > 0 && p.Default == p.Max-1:
		return []any{p.Max}
	case p.Type == widget.Int && p.Max > 0:
		return []any{p.Max - 1}
	case p.Type == widget.Int:
		return []any{7}
	case p.Name == "titleTag":
		return []any{"h2"}
	case strings.HasSuffix(strings.ToLower(p.Name), "aspect"):
		return []any{"4:3"}
	case p.Name == "bgCss":
		return []any{"linear-gradient(#fff, #000)"}
	case p.Name == "buttonUrl":
		return []any{"/elsewhere"}
	case p.Type == widget.Text:
		return []any{"other"}
	case p.Name == "title" || p.Name == "labelStyle" || strings.HasSuffix(strings.ToLower(p.Name), "style"):
		return []any{map[string]any{"text": "Words", "size": 31}}
	case p.Type == widget.Object && len(p.Fields) == 1 && p.Fields[0].Name == "hex":
		return []any{map[string]any{"hex": "#123456"}}
	case p.Type == widget.Object:
		return []any{map[string]any{"size": 31}}
	case p.Type == widget.List && p.Item.Type == widget.Text && p.Item.Choices != nil:
		var out []any
		for _, c := range p.Item.Choices {
			out = append(out, []any{c})
		}
		return out
	case p.Type == widget.List && p.Item.Type == widget.Text:
		return []any{[]any{"title"}}
	case p.Name == "tags":
		return []any{[]any{map[string]any{"key": "k", "text": "Tag", "target": "/t"}}}
	}
	return nil
}

func with(base map[string]any, name string, v any) map[string]any {
	out := map[string]any{}
	for n, b := range base {
		out[n] = b
	}
	if v != nil {
		out[name] = v
	}
	return out
}
