package design

import (
	"context"
	"errors"
	"slices"

	"vitrine/admin/api"
	"vitrine/compile/design"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	designdb "vitrine/internal/store/design"
	"vitrine/internal/store/release"
)

// storefrontView is the data a storefront needs before it draws a page (document 3, 4.1).
type storefrontView struct {
	CompanyID shop.CompanyID `json:"company_id"`
	Slug      string         `json:"slug"`
	Name      string         `json:"name"`
	Currency  string         `json:"currency"`
	URL       string         `json:"url"`
	Domain    string         `json:"domain"` // the active custom domain, or empty
	Chrome    chromeView     `json:"chrome"`
}

// chromeView is the chrome of pages without their own bindings.
type chromeView struct {
	Header *chromeSlot   `json:"header"` // null: the platform's default
	Footer *chromeSlot   `json:"footer"`
	Layout *chromeLayout `json:"layout"` // null: the shop has none
}

type chromeSlot struct {
	design.Bound
	Documents []chromeDocument `json:"documents"` // with a live release, in page order
}

type chromeLayout struct {
	ID         shop.BlockID    `json:"id"`
	ScopeClass string          `json:"scope_class"` // empty before the first publish
	Document   *chromeDocument `json:"document"`    // null before the first publish
}

type chromeDocument struct {
	DocumentID shop.DocumentID `json:"document_id"`
	ReleaseID  shop.ReleaseID  `json:"release_id"`
	Base       string          `json:"base"`
}

// resolveStorefront is public: it answers every caller that names the shop, unless the shop is
// closed behind a PIN.
func (d *Design) resolveStorefront(ctx context.Context, c *api.Call, in api.ShopName) (api.Result[storefrontView], error) {
	var out storefrontView
	id, err := c.ShopByAddress(ctx, d.store, in)
	if err != nil {
		return api.Wrap(out), err
	}
	err = d.store.Snapshot(ctx, id, func(r store.Reader) error {
		info, err := company.Info(ctx, r)
		if err == nil && info.Closed {
			err = store.ErrShopNotFound
		}
		if err != nil {
			return err
		}
		out = storefrontView{
			CompanyID: info.ID, Slug: info.Slug, Name: info.Name, Currency: info.Currency, URL: d.urls.Storefront(info), Domain: info.Domain,
		}
		out.Chrome, err = viewChrome(ctx, r)
		return err
	})
	return api.Wrap(out), err
}

func viewChrome(ctx context.Context, r store.Reader) (view chromeView, err error) {
	bindings, err := load.Design(ctx, r)
	if err != nil {
		return view, err
	}
	resolved := bindings.Resolve(design.Resource{Type: design.System}, nil)
	for slot, to := range map[string]**chromeSlot{design.Header: &view.Header, design.Footer: &view.Footer} {
		bound, ok := resolved[slot]
		if !ok {
			continue
		}
		documents, err := documentsBelow(ctx, r, bound.GroupID)
		if err != nil {
			return view, err
		}
		*to = &chromeSlot{bound, documents}
	}
	if bindings.Layout == 0 {
		return view, nil
	}
	view.Layout = &chromeLayout{ID: bindings.Layout}
	d, err := release.DocumentOf(ctx, r, shop.LayoutFolder, int64(bindings.Layout))
	if errors.Is(err, release.ErrDocumentNotFound) || err == nil && d.Active == 0 {
		return view, nil
	}
	view.Layout.ScopeClass, view.Layout.Document = shop.ScopeClass(d.ID), viewInUse(d.ID, d.Active)
	return view, err
}

func viewInUse(doc shop.DocumentID, id shop.ReleaseID) *chromeDocument {
	return &chromeDocument{doc, id, shop.ReleaseRoot(doc, id)}
}

// groupDepth is how many levels of nested groups the storefront draws.
const groupDepth = 4

// documentsBelow lists the documents with a live release that a group shows.
func documentsBelow(ctx context.Context, r store.Reader, group shop.BlockID) ([]chromeDocument, error) {
	var ids []shop.DocumentID
	seen := map[shop.BlockID]bool{group: true}
	for level, depth := []shop.BlockID{group}, 0; len(level) > 0 && depth <= groupDepth; depth++ {
		found, err := designdb.BlocksByID(ctx, r, level)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(found, func(a, b designdb.Block) int { return slices.Index(level, a.ID) - slices.Index(level, b.ID) })
		level = nil
		for _, b := range found {
			ids = append(ids, documentsIn(b)...)
			for _, member := range membersOf(b) {
				if !seen[member] {
					seen[member] = true
					level = append(level, member)
				}
			}
		}
	}
	active, err := release.ActiveReleases(ctx, r, ids)
	documents := []chromeDocument{}
	for i, id := range ids {
		if active[id] != 0 && !slices.Contains(ids[:i], id) {
			documents = append(documents, *viewInUse(id, active[id]))
		}
	}
	return documents, err
}
