package docs

import (
	"context"
	"embed"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

//go:embed guides/*.md
var files embed.FS

// errSection answers a reference that has no such section; the field sections
// lists those it has.
var errSection = shop.Refuse(shop.NotFound, "DOCS_SECTION_NOT_FOUND").When("the guide has no such section; sections lists those it has")

// guide is one row of the index. Its text is guides/<last segment>.md, unless
// it is made from a table.
type guide struct {
	Path    string
	Title   string
	Purpose string
	// Needs is an endpoint, or several, without which the guide describes
	// nothing that exists.
	Needs    []string
	Sections bool // ?section= answers one section alone
	text     func() string
}

// guides is every guide in reading order.
var guides = []guide{
	{Path: "/docs/quickstart", Title: "Quickstart", Purpose: "From a key to the first change on the storefront, and the rules that hold everywhere"},
	{Path: "/docs/shop", Title: "The shape of the shop", Purpose: "Logo, colours, fonts, contacts, light and dark, and what search engines read of the shop", Needs: []string{"PUT /v1/shop/settings"}},
	{Path: "/docs/catalogue", Title: "Catalogue", Purpose: "Sections and products: fields, lists and filters, slugs, what is replaced and what stays", Needs: []string{"POST /products"}},
	{Path: "/docs/catalog-import", Title: "Catalogue import", Purpose: "Bring in many products: order of work, pictures, limits, repeating a run safely", Needs: []string{"POST /products"}},
	{Path: "/docs/drafts", Title: "Drafts", Purpose: "The two contours, what waits in the draft, publishing, conflicts", Needs: []string{"GET /drafts"}},
	{Path: "/docs/file-storage", Title: "File storage", Purpose: "Upload pictures and files in three steps, attach them, and the addresses of resized pictures", Needs: []string{"POST /v1/storages/files"}},
	{Path: "/docs/news", Title: "News and articles", Purpose: "Rubrics, dated articles and the blocks of an article's page", Needs: []string{"POST /articles"}},
	{Path: "/docs/customers", Title: "Customers", Purpose: "Who buys and writes, groups, CSV, and erasing a person", Needs: []string{"GET /customers"}},
	{Path: "/docs/widgets-area", Title: "Blocks, widgets and slots", Purpose: "Content blocks, where widgets read their settings, groups, header, footer and body", Needs: []string{"POST /content-blocks"}},
	{Path: "/docs/widget-pages", Title: "Three pages to copy", Purpose: "A first page, a page about the shop and a page of a sale, made of widgets", Needs: []string{"POST /content-blocks"}},
	{Path: "/docs/webcoding", Title: "Own markup", Purpose: "Html documents: what the storefront does to them, releases, scripts, styles, bindings", Needs: []string{"POST /html-documents"}},
	{Path: "/docs/vz-keys", Title: "Data bindings", Purpose: "Every data-binding attribute and placeholder of html documents, with examples", text: keysMarkdown},
	{Path: "/docs/transfer", Title: "Moving a website in", Purpose: "The transfer tool: a folder of a finished website becomes a page of the shop", Needs: []string{"POST /html-documents"}},
	{Path: "/docs/redirects", Title: "Redirects", Purpose: "Keep old addresses alive: rules, import, the 404 log, moving sections", Needs: []string{"POST /storefront-redirects"}},
	{Path: "/docs/redirects-reference", Title: "Redirects reference", Purpose: "Grammar of sources and targets, order of handling, loops, CSV, every error code", Needs: []string{"POST /storefront-redirects"}, Sections: true},
	{Path: "/docs/feeds", Title: "Feeds and site files", Purpose: "Small text files on the storefront host: feeds, ads.txt, verification files", Needs: []string{"POST /site-files"}},
	{Path: "/docs/feeds-reference", Title: "Feeds reference", Purpose: "The template language of site files", Needs: []string{"POST /site-files"}, Sections: true},
	{Path: "/docs/orders", Title: "Orders", Purpose: "The cart, checkout and the life of an order", Needs: []string{"POST /orders"}},
	{Path: "/docs/promotions", Title: "Promotions and prices by quantity", Purpose: "Discounts, coupons, gifts and prices by quantity", Needs: []string{"POST /promotions"}},
	{Path: "/docs/payments", Title: "Payments", Purpose: "Ways to pay, the way to a provider and back, what counts as paid", Needs: []string{"PUT /v1/shop/payment-methods/{method}"}},
	{Path: "/docs/letters", Title: "Letters", Purpose: "What a shop writes to whom, in its own words, from its own domain", Needs: []string{"GET /v1/shop/letters"}},
	{Path: "/docs/forms", Title: "Forms and leads", Purpose: "What visitors are asked, what they send, files, and how spam is kept apart", Needs: []string{"GET /form-leads"}},
	{Path: "/docs/stock", Title: "Stock", Purpose: "Stock numbers and their ledger", Needs: []string{"PUT /products/{id}/stock"}},
	{Path: "/docs/closed", Title: "Closed sections, products and pages", Purpose: "What strangers do not see, and what opens it: passwords, groups of customers, a sign-in", Needs: []string{"POST /access-policies"}},
	{Path: "/docs/statistics", Title: "Statistics", Purpose: "Daily visitors, page views, orders and revenue, and what is counted as which", Needs: []string{"GET /stats"}},
	{Path: "/docs/finding", Title: "Search, filters and order on the storefront", Purpose: "How visitors find products: the box with suggestions, /search, what narrows and orders a section, the parameters of its address, showFilter and showSearch"},
	{Path: "/docs/reviews", Title: "Reviews and questions", Purpose: "What buyers say of products: writing, photos, moderation, answers, votes, limits", Needs: []string{"GET /reviews"}},
	{Path: "/docs/webhooks", Title: "Webhooks", Purpose: "Subscribe to events, check signatures, survive repetition", Needs: []string{"POST /webhooks"}},
	{Path: "/docs/skills", Title: "Recipes for agents", Purpose: "Short procedures for frequent jobs, each with the check that proves it worked"},
}

// Statuses of a guide: the server has what it describes, or not yet.
const (
	ready   = "ready"
	planned = "planned"
)

func (d *Docs) status(g guide) string {
	if slices.ContainsFunc(g.Needs, func(endpoint string) bool { return !d.has(endpoint) }) {
		return planned
	}
	return ready
}

// source is the text of a guide as it was written.
func (g guide) source() (string, error) {
	if g.text != nil {
		return g.text(), nil
	}
	text, err := files.ReadFile("guides/" + strings.TrimPrefix(g.Path, "/docs/") + ".md")
	return string(text), err
}

// markdown is the text of a guide as it is answered.
func (d *Docs) markdown(g guide) (string, error) {
	text, err := g.source()
	return d.expand(text), err
}

func (d *Docs) guide(g guide) func(context.Context, *api.Call, api.None) (api.Raw, error) {
	return func(_ context.Context, c *api.Call, _ api.None) (api.Raw, error) { return d.guides[g.Path].answer(c) }
}

type sectionRequest struct {
	Section string `query:"section" json:"-" doc:"the slug of one section; empty answers the whole guide"` // a slug; empty: the whole guide
}

func (d *Docs) sections(g guide) func(context.Context, *api.Call, sectionRequest) (api.Raw, error) {
	return func(_ context.Context, c *api.Call, in sectionRequest) (api.Raw, error) {
		if in.Section == "" {
			return d.guides[g.Path].answer(c)
		}
		text, err := d.markdown(g)
		if err != nil {
			return api.Raw{}, err
		}
		var slugs []string
		for _, s := range split(text) {
			if s.slug == in.Section {
				return newPage(func() (string, error) { return s.text, nil }).answer(c)
			}
			slugs = append(slugs, s.slug)
		}
		return api.Raw{}, errSection.With("sections: "+strings.Join(slugs, ", ")).WithField("sections", slugs)
	}
}

// section is one part of a guide, from a heading of the second level to the next.
type section struct{ slug, text string }

func split(text string) (list []section) {
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if heading, ok := strings.CutPrefix(line, "## "); ok && !fenced {
			list = append(list, section{slug: slugOf(heading)})
		}
		if n := len(list); n > 0 {
			list[n-1].text += line
		}
	}
	return list
}

// slugOf is a heading as an address spells it: "The 404 log" is the-404-log.
func slugOf(heading string) string {
	words := strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, "-")
}
