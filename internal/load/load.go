// Package load reads the rows that decide a shop's addresses and passes them to the
// compiler: rows of the store in, compile.Input and compile.Delta out. The edge serves with
// the result, and the admin API uses it to check what a write would change.
package load

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/policy"
	redirectdb "vitrine/internal/store/redirect"
	"vitrine/internal/store/release"
	"vitrine/internal/store/sitefile"
)

// Site compiles a shop as a reader sees it: inside a transaction with the transaction's
// changes.
func Site(ctx context.Context, r store.Reader, hosts shop.Storefronts) (*compile.Site, error) {
	company, err := companydb.Info(ctx, r)
	if err != nil {
		return nil, err
	}
	in, err := Input(ctx, r, company, hosts)
	if err != nil {
		return nil, err
	}
	return compile.New(in), nil
}

// Input reads the whole shop.
func Input(ctx context.Context, r store.Reader, company companydb.Company, hosts shop.Storefronts) (in compile.Input, err error) {
	in.Shop = Shop(company, hosts)
	if in.Shop.Face, err = companydb.Face(ctx, r); err != nil {
		return in, err
	}
	if in.Categories, err = categories(ctx, r); err != nil {
		return in, err
	}
	if in.Products, err = products(ctx, r, nil); err != nil {
		return in, err
	}
	if in.Articles, err = articles(ctx, r, nil); err != nil {
		return in, err
	}
	if in.Journal, err = journal(ctx, r); err != nil {
		return in, err
	}
	if in.Folders, err = folders(ctx, r); err != nil {
		return in, err
	}
	if in.Files, err = files(ctx, r); err != nil {
		return in, err
	}
	if in.Offers, err = offers(ctx, r); err != nil {
		return in, err
	}
	if in.Policies, err = policies(ctx, r); err != nil {
		return in, err
	}
	if in.Ahead, err = ahead(ctx, r); err != nil {
		return in, err
	}
	in.Rules, err = Rules(ctx, r)
	return in, err
}

// Tree compiles only the data that decides the addresses of sections, below which folders
// and site files are.
func Tree(ctx context.Context, r store.Reader, hosts shop.Storefronts) (*compile.Site, error) {
	company, err := companydb.Info(ctx, r)
	if err != nil {
		return nil, err
	}
	rows, err := categories(ctx, r)
	return compile.New(compile.Input{Shop: Shop(company, hosts), Categories: rows}), err
}

// ClosedSections compiles only sections and policies: it shows which sections are closed.
func ClosedSections(ctx context.Context, r store.Reader, hosts shop.Storefronts) (*compile.Site, error) {
	company, err := companydb.Info(ctx, r)
	if err != nil {
		return nil, err
	}
	rows, err := categories(ctx, r)
	if err != nil {
		return nil, err
	}
	closed, err := policies(ctx, r)
	return compile.New(compile.Input{Shop: Shop(company, hosts), Categories: rows, Policies: closed}), err
}

// Sections compiles only sections, site files, offers and policies: apart from the
// products, these decide the addresses and prices in feeds, and what feeds leave out.
func Sections(ctx context.Context, r store.Reader, company companydb.Company, hosts shop.Storefronts) (*compile.Site, error) {
	tree, err := categories(ctx, r)
	if err != nil {
		return nil, err
	}
	siteFiles, err := files(ctx, r)
	if err != nil {
		return nil, err
	}
	priceOffers, err := offers(ctx, r)
	if err != nil {
		return nil, err
	}
	in := compile.Input{Shop: Shop(company, hosts), Categories: tree, Files: siteFiles, Offers: priceOffers}
	if in.Ahead, err = ahead(ctx, r); err != nil {
		return nil, err
	}
	if in.Policies, err = policies(ctx, r); err == nil && len(in.Policies) > 0 {
		in.Products, err = products(ctx, r, nil) // sets are closed with their components, in any section
	}
	return compile.New(in), err
}

// Shop returns the part of a shop's row on which addresses depend. Its Face is empty.
func Shop(c companydb.Company, hosts shop.Storefronts) compile.Shop {
	pin := sha256.Sum256([]byte(c.PINHash)) // salted, so setting the same PIN again changes the hash
	return compile.Shop{
		PIN: hex.EncodeToString(pin[:8]),
		ID:  c.ID, Slug: c.Slug, Name: c.Name, Currency: c.Currency, PriceDigits: c.PriceDigits,
		Language: shop.Language(c.Language, c.Currency), Timezone: c.Timezone, Comments: c.Comments, Questions: c.Questions, Closed: c.Closed, MissFallback: c.MissFallback,
		Origin: hosts.Origin(c.Slug, c.Domain), Hosts: hosts.Hosts(c.Slug, c.Domain),
	}
}

// Delta reads only the rows that the changed keys name.
func Delta(ctx context.Context, r store.Reader, keys []shop.Key, hosts shop.Storefronts) (d compile.Delta, err error) {
	seen := map[shop.KeyKind]bool{}
	var productIDs []shop.ProductID
	var articleIDs []shop.ArticleID
	for _, key := range keys {
		seen[key.Kind] = true
		switch {
		case key.ID == 0:
		case key.Kind == shop.KeyProduct:
			productIDs = append(productIDs, shop.ProductID(key.ID))
		case key.Kind == shop.KeyArticle:
			articleIDs = append(articleIDs, shop.ArticleID(key.ID))
		}
	}
	if seen[shop.KeyShop] {
		company, err := companydb.Info(ctx, r)
		if err != nil {
			return d, err
		}
		now := Shop(company, hosts)
		if now.Face, err = companydb.Face(ctx, r); err != nil {
			return d, err
		}
		d.Shop = &now
	}
	if seen[shop.KeyCategories] {
		if d.Categories, err = categories(ctx, r); err != nil {
			return d, err
		}
	}
	if seen[shop.KeyRules] {
		if d.Rules, err = Rules(ctx, r); err != nil {
			return d, err
		}
	}
	if seen[shop.KeyJournal] {
		if d.Journal, err = journal(ctx, r); err != nil {
			return d, err
		}
	}
	if seen[shop.KeyDocument] {
		if d.Folders, err = folders(ctx, r); err != nil {
			return d, err
		}
	}
	if seen[shop.KeyFiles] {
		if d.Files, err = files(ctx, r); err != nil {
			return d, err
		}
	}
	if seen[shop.KeyAccess] {
		if d.Policies, err = policies(ctx, r); err != nil {
			return d, err
		}
	}
	if seen[shop.KeyOffers] {
		if d.Offers, err = offers(ctx, r); err != nil {
			return d, err
		}
	}
	if len(productIDs) > 0 {
		if d.Products, err = products(ctx, r, productIDs); err != nil {
			return d, err
		}
	}
	if len(articleIDs) > 0 {
		d.Articles, err = articles(ctx, r, articleIDs)
		for _, id := range articleIDs {
			if !slices.ContainsFunc(d.Articles, func(a compile.Article) bool { return a.ID == id }) {
				d.GoneArticles = append(d.GoneArticles, id)
			}
		}
	}
	if err == nil && len(productIDs)+len(articleIDs) > 0 {
		d.Ahead, err = ahead(ctx, r)
	}
	return d, err
}

// ahead reads the pages dated in the future; the result is never nil.
func ahead(ctx context.Context, r store.Reader) ([]compile.Scheduled, error) {
	rows, err := companydb.GetScheduled(ctx, r)
	out := make([]compile.Scheduled, len(rows))
	for i, a := range rows {
		out[i] = compile.Scheduled{Page: compile.PageRef{Entity: compile.Entity(a.Entity), ID: a.ID}, At: a.At}
	}
	return out, err
}

func categories(ctx context.Context, r store.Reader) ([]compile.Category, error) {
	rows, err := catalog.CategoryAddresses(ctx, r)
	out := make([]compile.Category, len(rows))
	for i, c := range rows {
		out[i] = compile.Category{
			ID: c.ID, Parent: c.Parent, Slug: c.Slug, Name: c.Name, Type: compile.CategoryType(c.Type), Order: c.Order,
			Published: c.IsPublished, ShowMenu: c.IsShowMenu, Home: c.IsHome, NoIndex: c.NoIndex, Modified: c.Modified,
		}
	}
	return out, err
}

func products(ctx context.Context, r store.Reader, ids []shop.ProductID) ([]compile.Product, error) {
	rows, err := catalog.ProductAddresses(ctx, r, ids)
	out := make([]compile.Product, len(rows))
	for i, p := range rows {
		out[i] = compile.Product{ID: p.ID, Category: p.Category, Slug: p.Slug, Published: p.IsPublished, Deleted: p.IsDeleted, NoIndex: p.NoIndex, Modified: p.Modified, Parts: p.Parts}
	}
	return out, err
}

func articles(ctx context.Context, r store.Reader, ids []shop.ArticleID) ([]compile.Article, error) {
	rows, err := catalog.ArticleAddresses(ctx, r, ids)
	out := make([]compile.Article, len(rows))
	for i, a := range rows {
		out[i] = compile.Article{ID: a.ID, Category: a.Category, Slug: a.Slug, Published: a.IsPublished, NoIndex: a.NoIndex, Modified: a.Modified}
	}
	return out, err
}

func folders(ctx context.Context, r store.Reader) ([]compile.Folder, error) {
	rows, err := release.LiveFolders(ctx, r)
	out := make([]compile.Folder, len(rows))
	for i, f := range rows {
		out[i] = compile.Folder{Category: f.Section, Document: f.Document, Release: f.Release, NoIndex: f.NoIndex}
	}
	return out, err
}

func files(ctx context.Context, r store.Reader) ([]compile.SiteFile, error) {
	rows, err := sitefile.Addresses(ctx, r)
	out := make([]compile.SiteFile, len(rows))
	for i, f := range rows {
		out[i] = compile.SiteFile{
			ID: f.ID, Category: f.Category, Name: f.Name, Published: f.IsPublished, InSitemap: f.InSitemap && !f.NoIndex,
			Version: f.Version, Modified: f.Modified,
		}
	}
	return out, err
}

// policies reads the access policies; the result is never nil.
func policies(ctx context.Context, r store.Reader) ([]compile.Policy, error) {
	rows, _, err := policy.List(ctx, r, 0, 0)
	out := make([]compile.Policy, len(rows))
	for i, p := range rows {
		out[i] = Policy(p)
	}
	return out, err
}

// Policy converts an access policy for the compiler.
func Policy(p policy.Policy) compile.Policy {
	out := compile.Policy{ID: p.ID, Name: p.Name, Kind: p.Kind, Groups: p.Groups, Title: p.Title, Text: p.Text}
	for _, r := range p.Resources {
		switch r.Type {
		case "product":
			out.Products = append(out.Products, shop.ProductID(r.ID))
		case "article":
			out.Articles = append(out.Articles, shop.ArticleID(r.ID))
		default:
			out.Sections = append(out.Sections, shop.CategoryID(r.ID))
		}
	}
	for _, g := range p.Grants {
		grant := compile.Grant{ID: g.ID}
		if g.ExpiresAt != nil {
			grant.Until = *g.ExpiresAt
		}
		out.Grants = append(out.Grants, grant)
	}
	return out
}

func journal(ctx context.Context, r store.Reader) ([]compile.Journal, error) {
	rows, err := catalog.Journal(ctx, r)
	out := make([]compile.Journal, len(rows))
	for i, e := range rows {
		out[i] = compile.Journal{Entity: compile.Entity(e.Entity), Slug: e.Slug, ID: e.ID}
	}
	return out, err
}

// Rules reads the redirect set for the compiler.
func Rules(ctx context.Context, r store.Reader) ([]redirect.Rule, error) {
	rows, err := redirectdb.Rules(ctx, r)
	out := make([]redirect.Rule, len(rows))
	for i, row := range rows {
		out[i] = Rule(row)
	}
	return out, err
}

// Rule converts a stored rule for the compiler.
func Rule(r redirectdb.Rule) redirect.Rule {
	return redirect.Rule{
		ID: r.ID, Kind: redirect.Kind(r.Kind), From: r.From, To: r.To, External: r.External, Code: r.Code, Enabled: r.Enabled,
		OverrideLive: r.OverrideLive, DropQuery: r.DropQuery, QueryMatch: r.QueryMatch, SortOrder: r.SortOrder, Note: r.Note,
	}
}
