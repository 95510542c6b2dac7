// Package draft lists, publishes and discards the changes that are pending in the draft contour
// (document 1, sections 1 and 5; CONTRACT, "People, sessions, keys").
//
// A key or a session of the draft contour edits products, sections, articles, content blocks with
// their places, design bindings and html documents in a draft, through the same endpoints that
// otherwise edit the live shop. Visitors see none of it until it is published, as a whole or item
// by item:
//
//	GET  /drafts          the pending changes, field by field, and why publishing would be refused
//	POST /drafts/publish  {all: true} or {items: [{kind, id}]}, and force
//	POST /drafts/discard  {all: true} or {items: [{kind, id}]}
//	POST /drafts/preview  a URL that shows the storefront with the draft applied
//
// Stock, redirects, media and site files have no draft.
package draft

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"vitrine/admin/api"
	"vitrine/compile/loop"
	"vitrine/compile/release"
	"vitrine/internal/load"
	"vitrine/internal/lru"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
	"vitrine/internal/store/draft"
)

// Draft serves the endpoints of this package.
type Draft struct {
	store *store.Store
	sites *load.Sites
	urls  api.URLs
	whole Whole
	now   func() time.Time

	mu        sync.Mutex
	rehearsed *lru.Weighted[shop.CompanyID, rehearsal] // weighted by the number of conflicts
}

// Whole returns FILES_PENDING for a release of a shop some of whose bytes are missing.
type Whole func(ctx context.Context, r store.Reader, id shop.ReleaseID) error

// New returns a Draft. whole checks whether all bytes of a release are stored; now is the clock.
func New(s *store.Store, sites *load.Sites, urls api.URLs, whole Whole, now func() time.Time) *Draft {
	return &Draft{store: s, sites: sites, urls: urls, whole: whole, now: now, rehearsed: lru.New[shop.CompanyID, rehearsal](maxRehearsed)}
}

// maxItems is the largest number of items in one request; larger drafts are published with all.
const maxItems = 1000

// Endpoints lists the endpoints of this package.
func (d *Draft) Endpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/drafts", Contour: api.LiveOnly, Scopes: []shop.Scope{"catalog:read"}, Class: api.Read, Do: api.Handle(d.list), Summary: "A page of the pending draft changes, with differences and conflicts"},
		{Method: "POST", Path: "/drafts/publish", Contour: api.LiveOnly, Scopes: []shop.Scope{"publish:write"}, Class: api.Write, Errors: publishErrors, Undo: "There is no call that takes a publication back: write the earlier values again, and roll back releases.", Do: api.Handle(d.publish), Summary: "Publish all or some pending draft changes in one transaction"},
		{Method: "POST", Path: "/drafts/discard", Contour: api.LiveOnly, Scopes: []shop.Scope{"catalog:write"}, Class: api.Write, Errors: api.Refuses(draft.ErrNotFound), Undo: "What was discarded cannot be brought back.", Do: api.Handle(d.discard), Summary: "Discard all or some pending draft changes"},
		{Method: "POST", Path: "/drafts/preview", Contour: api.LiveOnly, Scopes: []shop.Scope{"catalog:read"}, Class: api.Write, Computes: true, Do: api.Handle(d.preview), Summary: "A signed URL that shows the storefront with the draft applied"},
	}
}

// publishErrors are the errors that can prevent a publish: those of the draft itself, and the
// rules that the resulting live rows would break.
var publishErrors = api.Refuses(
	draft.ErrNotFound, draft.ErrConflict, catalog.ErrSKUTaken, catalog.ErrProductLimit,
	catalog.ErrCategoryCycle, catalog.ErrCategoryTooDeep, catalog.ErrCategoryNotFound, catalog.ErrCategoryType, loop.ErrLoop, loop.ErrChainTooLong,
	release.ErrFilesPending)

type listRequest struct {
	api.Paging
}

func (d *Draft) list(ctx context.Context, c *api.Call, in listRequest) (out api.List[draft.Item], err error) {
	number, limit, err := in.Page(50)
	if err != nil {
		return out, err
	}
	out.CurrentPage = number
	err = d.store.Snapshot(ctx, c.Company, func(r store.Reader) (err error) {
		out.Result, out.Total, err = draft.List(ctx, r, number, limit)
		return err
	})
	if err != nil || out.Total == 0 {
		return out, err
	}
	found, err := d.conflicts(ctx, c.Company)
	for i := range out.Result {
		out.Result[i].Conflicts = append(out.Result[i].Conflicts, found[out.Result[i].Ref]...)
	}
	return out, err
}

// itemID is an id in either form that the API prints: a number or a string.
type itemID string

// UnmarshalJSON accepts both forms.
func (i *itemID) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*i = itemID(text)
		return nil
	}
	var number json.Number
	if json.Unmarshal(b, &number) != nil {
		return shop.ErrInvalidRequest.With("a number or a string")
	}
	*i = itemID(number)
	return nil
}

type selection struct {
	All   bool `json:"all"`
	Items []struct {
		Kind string `json:"kind" required:"always"`
		ID   itemID `json:"id"`
	} `json:"items" max:"1000"`
}

// value validates a selection: either everything, or at least one named item.
func (s selection) value() (draft.Selection, error) {
	sel := draft.Selection{All: s.All}
	switch {
	case s.All == (len(s.Items) > 0):
		return sel, shop.ErrInvalidRequest.With("send all: true, or items: [{kind, id}]").About("items")
	case len(s.Items) > maxItems:
		return sel, shop.ErrInvalidRequest.At("items").With("at most 1000; all: true selects everything")
	}
	for n, it := range s.Items {
		if !slices.Contains(draft.Kinds(), it.Kind) {
			return sel, shop.AtEntry(shop.ErrInvalidRequest.At("kind").With("one of "+strings.Join(draft.Kinds(), ", ")), "items", n)
		}
		sel.Items = append(sel.Items, draft.Ref{Kind: it.Kind, ID: string(it.ID)})
	}
	return sel, nil
}

type publishRequest struct {
	selection
	Force bool `json:"force"` // the draft overwrites changes made live meanwhile
}

// outcome lists what was published or discarded.
type outcome struct {
	Total int         `json:"total"`
	Items []draft.Ref `json:"items"`
	Also  []draft.Ref `json:"also" doc:"the items that were not named but that the named ones depend on, at any depth"`
}

func outcomeOf(sel draft.Selection, items []draft.Item) api.Result[outcome] {
	out := outcome{Total: len(items), Items: make([]draft.Ref, len(items)), Also: []draft.Ref{}}
	for i, it := range items {
		out.Items[i] = it.Ref
		if !sel.All && !slices.Contains(sel.Items, it.Ref) {
			out.Also = append(out.Also, it.Ref)
		}
	}
	return api.Wrap(out)
}

func (d *Draft) publish(ctx context.Context, c *api.Call, in publishRequest) (api.Result[outcome], error) {
	sel, err := in.value()
	if err != nil {
		return api.Result[outcome]{}, err
	}
	company, err := company.Info(ctx, d.store.Shop(c.Company))
	if err != nil {
		return api.Result[outcome]{}, err
	}
	if err := d.wholeReleases(ctx, c.Company, sel); err != nil {
		return api.Result[outcome]{}, err
	}
	var items []draft.Item
	err = d.store.Write(ctx, c.Company, func(tx *store.Tx) (err error) {
		if err := draft.LockForPublish(ctx, tx); err != nil {
			return err
		}
		return d.sites.WriteWithoutLoops(ctx, tx, func() (err error) {
			items, err = draft.Publish(ctx, tx, sel, in.Force, company.Limits[store.LimitProducts])
			return err
		})
	})
	return outcomeOf(sel, items), err
}

// wholeReleases refuses a selection with a release whose bytes were lost since it was published
// in the draft. It runs before the transaction, because that holds the shop's locks and the blob
func (d *Draft) wholeReleases(ctx context.Context, company shop.CompanyID, sel draft.Selection) error {
	releases, err := d.releases(ctx, company, sel)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Values(releases)) {
		if err := d.whole(ctx, d.store.Shop(company), id); err != nil {
			return err
		}
	}
	return nil
}

// releases returns the releases that publishing a selection would make live.
func (d *Draft) releases(ctx context.Context, company shop.CompanyID, sel draft.Selection) (found map[shop.DocumentID]shop.ReleaseID, err error) {
	err = d.store.DryRun(ctx, company, func(tx *store.Tx) (err error) {
		found, err = draft.Releases(ctx, tx, sel)
		return err
	})
	return found, err
}

func (d *Draft) discard(ctx context.Context, c *api.Call, in selection) (api.Result[outcome], error) {
	sel, err := in.value()
	if err != nil {
		return api.Result[outcome]{}, err
	}
	var items []draft.Item
	err = d.store.Write(ctx, c.Company, func(tx *store.Tx) (err error) {
		items, err = draft.Discard(ctx, tx, sel)
		return err
	})
	return outcomeOf(sel, items), err
}
