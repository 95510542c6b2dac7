// Package catalog manages categories, products and articles of a shop, the slugs that form
// their addresses, and their galleries (document 1, sections 2.2, 2.3, 2.6, 2.7, 4.2, 4.3, 4.5,
// 4.6).
//
// Reads have two projections. A member or a key sees everything; an anonymous caller names the
// shop and sees published things.
//
// # Adding a fact to a product
//
// Product data that nothing computes with, such as the brand, is a field of [shop.Facts]. A new
// field requires the edits that .github/CONTRIBUTING.md lists ("A field of a product"), each with
// the test that fails if it is missing.
//
// The examples of the OpenAPI document are updated by go test ./admin -run Examples -update. A
// new refusal is defined beside its check and listed in refusals.go: tests fail on an unlisted
// one. A field that is not a fact has its own place in store.Product and in the response
// (product.go), and, if feeds contain it, in [shop.Offer] and feedColumns.
package catalog

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/compile/loop"
	"vitrine/internal/limiter"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Catalog implements the endpoints of this package.
type Catalog struct {
	store *store.Store
	sites *load.Sites
	now   func() time.Time
	views views
	finds *limiter.PerShop
}

// New returns a Catalog. sites are the compiled shops of this process; now is the clock for
// deletion dates.
func New(s *store.Store, sites *load.Sites, now func() time.Time) *Catalog {
	return &Catalog{store: s, sites: sites, now: now, finds: limiter.New(limiter.HalfOfCPUs())}
}

// limitSearch acquires one of the shop's slots for searching a list, because searches need the
// most CPU time.
func (c *Catalog) limitSearch(ctx context.Context, company shop.CompanyID, words string) (leave func(), err error) {
	if words == "" {
		return func() {}, nil
	}
	if leave, err = c.finds.Acquire(ctx, company); err != nil {
		err = shop.ErrUnavailable.With("too many searches of this shop are running")
	}
	return leave, err
}

// The scopes of the catalogue.
var (
	reads  = []shop.Scope{"catalog:read"}
	writes = []shop.Scope{"catalog:write"}
)

// Endpoints returns the endpoint table of this package.
func (c *Catalog) Endpoints() []api.Endpoint {
	sections := api.Handle(c.categories)
	sections.Out = reflect.TypeFor[api.Result[[]categoryView]]()
	return append(append(c.productEndpoints(), c.galleryEndpoints()...), []api.Endpoint{
		{Method: "GET", Path: "/categories", Auth: api.Public, Scopes: reads, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, errCategoriesView), Do: sections, Summary: "The tree of sections as a flat list"},
		{Method: "GET", Path: "/categories/{id}", Auth: api.Public, Scopes: reads, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, catalog.ErrCategoryNotFound), Do: api.Handle(c.category), Summary: "One section with its content blocks"},
		{Method: "GET", Path: "/categories/by-slug/{slug}", Auth: api.Public, Scopes: reads, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, catalog.ErrCategoryNotFound), Do: api.Handle(c.categoryBySlug), Summary: "One section by its slug"},
		{Method: "POST", Path: "/categories", Scopes: writes, Class: api.Write, Errors: categoryErrors, Do: api.Handle(c.createCategory), Summary: "Create a section as the last of its siblings, unpublished by default"},
		{Method: "PUT", Path: "/categories/{id}", Edits: "/categories/{id}", Scopes: writes, Class: api.Write, Errors: categoryErrors.And(catalog.ErrCategoryCycle, store.ErrRestoreExpired, loop.ErrLoop, loop.ErrChainTooLong), Do: api.Handle(c.updateCategory), Summary: "Change fields of a section"},
		{Method: "DELETE", Path: "/categories/{id}", Scopes: writes, Class: api.Write, Errors: api.Refuses(catalog.ErrCategoryNotFound), Undo: "It can be restored within 30 days: PUT /categories/{id} with is_deleted false in item.", Do: api.Handle(c.deleteCategory), Summary: "Soft-delete a section and everything below it; it can be restored for 30 days"},
		{Method: "GET", Path: "/articles", Auth: api.Public, Scopes: reads, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, errSort), Do: api.Handle(c.articles), Summary: "A page of the article list"},
		{Method: "GET", Path: "/articles/{id}", Scopes: reads, Class: api.Read, Errors: api.Refuses(api.ErrShopHidden, catalog.ErrArticleNotFound), Do: api.Handle(c.article), Summary: "One article with its content blocks and related articles"},
		{Method: "GET", Path: "/articles/by-slug/{slug}", Auth: api.Public, Scopes: reads, Class: api.Read, Errors: api.Refuses(api.ErrNoCompany, catalog.ErrArticleNotFound), Do: api.Handle(c.articleBySlug), Summary: "One article by its slug, with everything needed to render its page"},
		{Method: "POST", Path: "/articles", Scopes: writes, Class: api.Write, Errors: articleErrors, Do: api.Handle(c.createArticle), Summary: "Create an article in a rubric"},
		{Method: "PUT", Path: "/articles/{id}", Edits: "/articles/{id}", Scopes: writes, Class: api.Write, Errors: articleErrors.And(catalog.ErrArticleNotFound, store.ErrRestoreExpired), Do: api.Handle(c.updateArticle), Summary: "Change fields of an article"},
		{Method: "PUT", Path: "/articles/{id}/related", Edits: "/articles/{id}", Scopes: writes, Class: api.Write, Errors: api.Refuses(errSelfRelated, errManyRelated, catalog.ErrArticleNotFound), Do: api.Handle(c.relateArticles), Summary: "Replace the related articles of an article, in the order of the ids"},
		{Method: "DELETE", Path: "/articles/{id}", Scopes: writes, Class: api.Write, Errors: api.Refuses(catalog.ErrArticleNotFound), Undo: "It can be restored within 30 days: PUT /articles/{id} with is_deleted false in item.", Do: api.Handle(c.deleteArticle), Summary: "Soft-delete an article; it can be restored for 30 days"},
	}...)
}

// fileView is a picture in a response: its id and its URL.
type fileView struct {
	ID  uuid.UUID `json:"id"`
	URL string    `json:"url"`
}

func viewFile(id *uuid.UUID, path string) *fileView {
	if id == nil || path == "" {
		return nil
	}
	return &fileView{ID: *id, URL: shop.FileURL(path)}
}

// fileRef is a picture in a request.
type fileRef struct {
	ID uuid.UUID `json:"id"`
}

// namedFile is a picture that a field of a request names; id is nil for none.
type namedFile struct {
	field string
	id    *uuid.UUID
}

// requireFiles refuses a file that is not a live picture of the shop, with the refusal missing
// at the field. Foreign and deleted files get the same code.
func requireFiles(ctx context.Context, r store.Reader, missing *shop.Refusal, list ...namedFile) error {
	distinct := map[uuid.UUID]bool{}
	for _, f := range list {
		if f.id != nil {
			distinct[*f.id] = true
		}
	}
	if len(distinct) == 0 {
		return nil
	}
	stored, err := catalog.PicturesAmong(ctx, r, slices.Collect(maps.Keys(distinct)))
	if err != nil {
		return err
	}
	return missingFile(list, stored, missing)
}

// missingFile refuses the first file that is not in stored.
func missingFile(list []namedFile, stored map[uuid.UUID]bool, missing *shop.Refusal) error {
	for _, f := range list {
		if f.id != nil && !stored[*f.id] {
			return missing.At(f.field).With(f.id.String())
		}
	}
	return nil
}

// checkPublished refuses dates that RFC 3339 cannot represent.
func checkPublished(o api.OptionalTime) error {
	if o.At != nil && (o.At.UTC().Year() < 1 || o.At.UTC().Year() > 9999) {
		return shop.ErrInvalidRequest.At("published_at").With("must be a date between the years 1 and 9999")
	}
	return nil
}

// optionalID is a file id in a request that may be cleared: absent keeps it, "" or null clears
// it, a UUID sets it.
type optionalID struct {
	Set bool       `json:"-"`
	ID  *uuid.UUID `json:"-"`
}

// UnmarshalJSON reads a uuid, an empty string or null.
func (o *optionalID) UnmarshalJSON(b []byte) error {
	o.Set = true
	if s := string(b); s == "null" || s == `""` {
		return nil
	}
	var id uuid.UUID
	if len(b) < 2 || id.UnmarshalText(b[1:len(b)-1]) != nil {
		return shop.ErrInvalidRequest.With("a file id must be a UUID")
	}
	o.ID = &id
	return nil
}

// seoItem is seo in a request; an empty og_image_id means none.
type seoItem struct {
	catalog.SEO
	OGImageID optionalID `json:"og_image_id"`
}

func (s seoItem) value() catalog.SEO {
	seo := s.SEO
	seo.OGImageID = s.OGImageID.ID
	return seo
}

// triState is a switch that may leave the decision to the shop's setting.
type triState string

// Values lists the states as texts.
func (triState) Values() []string { return []string{"", "true", "false"} }

// checkTriStates refuses switches that are not empty, "true" or "false". pairs alternates
// fields and values.
func checkTriStates(pairs ...string) error {
	for at := 0; at < len(pairs); at += 2 {
		if !slices.Contains(triState("").Values(), pairs[at+1]) {
			return shop.ErrInvalidRequest.At(pairs[at]).With(`"true", "false" or empty for the shop's setting`)
		}
	}
	return nil
}

// slugFor returns the requested slug, or one generated from the name.
func slugFor(asked, name, noun string) (slug string, explicit bool, err error) {
	if asked == "" {
		return shop.GenerateSlug(name, noun), false, nil
	}
	slug, err = shop.ParseSlug(asked)
	return slug, true, err
}
