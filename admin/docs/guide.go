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

// errSection is returned for an unknown section of a reference; the field sections lists the
// existing ones.
var errSection = shop.Refuse(shop.NotFound, "DOCS_SECTION_NOT_FOUND").When("the guide has no such section; the field sections lists the existing ones")

// guide is one row of the index. Its text is guides/<last segment>.md, unless it is generated
// from a table.
type guide struct {
	Path    string
	Title   string
	Purpose string
	// Needs lists the endpoints without which the guide describes nothing that exists.
	Needs    []string
	Sections bool // ?section= returns a single section
	text     func() string
}

// guides lists every guide in reading order.
var guides = []guide{
	{Path: "/docs/quickstart", Title: "Quickstart", Purpose: "From a key to the first change on the storefront, and the rules that apply everywhere"},
	{Path: "/docs/open-shop", Title: "Open a shop", Purpose: "From nothing to a first order with curl; closing, renaming, deleting and restoring a shop", Needs: []string{"POST /v1/orgs"}},
	{Path: "/docs/shop", Title: "Settings of the shop", Purpose: "Logo, colours, fonts, contacts, light and dark scheme, search engines, custom domain", Needs: []string{"PUT /v1/shop/settings"}},
	{Path: "/docs/catalogue", Title: "Catalogue", Purpose: "Sections and products: fields, lists and filters, slugs, which fields an edit replaces", Needs: []string{"POST /products"}},
	{Path: "/docs/move-in", Title: "Moving in from another system", Purpose: "Import the exports of Shopify, WooCommerce and other systems, and undo an import", Needs: []string{"POST /v1/imports"}},
	{Path: "/docs/catalog-import", Title: "Catalogue import", Purpose: "Import many products: order of work, pictures, limits, repeating a run safely", Needs: []string{"POST /products"}},
	{Path: "/docs/drafts", Title: "Drafts", Purpose: "The two contours, pending changes, publishing, conflicts", Needs: []string{"GET /drafts"}},
	{Path: "/docs/file-storage", Title: "File storage", Purpose: "Upload pictures and files in three steps, attach them, and the URLs of resized pictures", Needs: []string{"POST /v1/storages/files"}},
	{Path: "/docs/news", Title: "News and articles", Purpose: "Rubrics, dated articles and the blocks of an article's page", Needs: []string{"POST /articles"}},
	{Path: "/docs/customers", Title: "Customers", Purpose: "Customer records, groups, CSV, and erasing a person", Needs: []string{"GET /customers"}},
	{Path: "/docs/widgets-area", Title: "Blocks, widgets and slots", Purpose: "Content blocks, where widgets read their settings, groups, header, footer and body", Needs: []string{"POST /content-blocks"}},
	{Path: "/docs/widget-pages", Title: "Three pages to copy", Purpose: "A home page, a page about the shop and a sale page, made of widgets", Needs: []string{"POST /content-blocks"}},
	{Path: "/docs/webcoding", Title: "Own markup", Purpose: "Html documents: how the storefront processes them, releases, scripts, styles, bindings", Needs: []string{"POST /html-documents"}},
	{Path: "/docs/vz-keys", Title: "Data bindings", Purpose: "Every data-binding attribute and placeholder of html documents, with examples", text: keysMarkdown},
	{Path: "/docs/transfer", Title: "Moving a website in", Purpose: "The transfer tool: a folder of a finished website becomes a page of the shop", Needs: []string{"POST /html-documents"}},
	{Path: "/docs/redirects", Title: "Redirects", Purpose: "Keep old URLs working: rules, import, the 404 log, moving sections", Needs: []string{"POST /storefront-redirects"}},
	{Path: "/docs/redirects-reference", Title: "Redirects reference", Purpose: "Grammar of sources and targets, order of handling, loops, CSV, every error code", Needs: []string{"POST /storefront-redirects"}, Sections: true},
	{Path: "/docs/feeds", Title: "Feeds and site files", Purpose: "Small text files on the storefront host: feeds, ads.txt, verification files", Needs: []string{"POST /site-files"}},
	{Path: "/docs/feeds-reference", Title: "Feeds reference", Purpose: "The template language of site files", Needs: []string{"POST /site-files"}, Sections: true},
	{Path: "/docs/orders", Title: "Orders", Purpose: "Cart and checkout, delivery rates, orders by phone, parcels, invoices and slips, reminders of carts", Needs: []string{"POST /orders"}},
	{Path: "/docs/promotions", Title: "Promotions and quantity prices", Purpose: "Discounts, coupons, gifts and quantity prices", Needs: []string{"POST /promotions"}},
	{Path: "/docs/payments", Title: "Payments", Purpose: "Payment methods, the redirect to a provider and back, what counts as paid", Needs: []string{"PUT /v1/shop/payment-methods/{method}"}},
	{Path: "/docs/letters", Title: "Letters", Purpose: "The letters of a shop, their recipients and templates, sending from a custom domain", Needs: []string{"GET /v1/shop/letters"}},
	{Path: "/docs/forms", Title: "Forms and leads", Purpose: "Forms for visitors, the leads they send, files, and spam detection", Needs: []string{"GET /form-leads"}},
	{Path: "/docs/stock", Title: "Stock", Purpose: "Stock quantities and their ledger", Needs: []string{"PUT /products/{id}/stock"}},
	{Path: "/docs/signing-in", Title: "Signing in", Purpose: "Sessions, cookies, the second factor, passkeys, and calls that need a recent proof"},
	{Path: "/docs/closed", Title: "Closed sections, products and pages", Purpose: "Parts of a shop with restricted access, unlocked by passwords, customer groups or a sign-in", Needs: []string{"POST /access-policies"}},
	{Path: "/docs/statistics", Title: "Statistics", Purpose: "Daily visitors, page views, orders and revenue, and how they are counted", Needs: []string{"GET /stats"}},
	{Path: "/docs/finding", Title: "Search, filters and order on the storefront", Purpose: "How visitors find products: the search box with suggestions, /search, filters and sorting of a section, URL parameters, showFilter and showSearch"},
	{Path: "/docs/reviews", Title: "Reviews and questions", Purpose: "Reviews and questions about products: writing, photos, moderation, answers, votes, limits", Needs: []string{"GET /reviews"}},
	{Path: "/docs/webhooks", Title: "Webhooks", Purpose: "Subscribe to events, check signatures, handle duplicates", Needs: []string{"POST /webhooks"}},
	{Path: "/docs/assistants", Title: "Shopping assistants", Purpose: "Sell through assistants by ACP (/.well-known/acp.json, /api/acp) and UCP (/.well-known/ucp, /api/ucp): tokens, first orders with curl, the rules", Needs: []string{"GET /v1/shop/assistants"}},
	{Path: "/docs/agents", Title: "Agents", Purpose: "Connect an agent through the Model Context Protocol: keys, the four tools, limits"},
	{Path: "/docs/skills", Title: "Recipes for agents", Purpose: "Short procedures for frequent tasks, each with a check of the result"},
}

// status of a guide: the server offers what the guide describes, or does not yet.
type status string

const (
	ready   status = "ready"
	planned status = "planned"
)

// Values lists the statuses.
func (status) Values() []string { return shop.Texts([]status{ready, planned}) }

func (d *Docs) status(g guide) status {
	if slices.ContainsFunc(g.Needs, func(endpoint string) bool { return !d.has(endpoint) }) {
		return planned
	}
	return ready
}

// Guide is a guide as other packages see it.
type Guide struct {
	Path, Title, Purpose string
	Markdown             func() (string, error)
}

// Guides lists the guides that describe what the server offers, in reading order.
func (d *Docs) Guides() (list []Guide) {
	for _, g := range guides {
		if d.status(g) == ready {
			list = append(list, Guide{g.Path, g.Title, g.Purpose, d.guides[g.Path].markdown})
		}
	}
	return list
}

// source returns the text of a guide before expansion.
func (g guide) source() (string, error) {
	if g.text != nil {
		return g.text(), nil
	}
	text, err := files.ReadFile("guides/" + strings.TrimPrefix(g.Path, "/docs/") + ".md")
	return string(text), err
}

// markdown returns the text of a guide as served.
func (d *Docs) markdown(g guide) (string, error) {
	text, err := g.source()
	return d.expand(text), err
}

func (d *Docs) guide(g guide) func(context.Context, *api.Call, api.None) (api.Raw, error) {
	return func(_ context.Context, c *api.Call, _ api.None) (api.Raw, error) { return d.guides[g.Path].answer(c) }
}

type sectionRequest struct {
	Section string `query:"section" json:"-" doc:"the slug of one section; empty returns the whole guide"` // a slug; empty: the whole guide
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

// section is one part of a guide, from a second-level heading to the next.
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

// slugOf converts a heading to a slug: "The 404 log" becomes the-404-log.
func slugOf(heading string) string {
	words := strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
	})
	return strings.Join(words, "-")
}
