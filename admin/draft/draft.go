// Package draft is what waits in the draft contour and how it becomes live
// (document 1, sections 1 and 5; CONTRACT, "People, sessions, keys").
//
// A key or a session of the draft contour edits products, sections, articles,
// content blocks with their places, design bindings and html documents in a
// draft, by the endpoints that edit the live shop otherwise. Nothing of it is
// visible to visitors until somebody publishes it, all or item by item:
//
//	GET  /drafts          what waits, field by field, and all that publishing would refuse
//	POST /drafts/publish  {all: true} or {items: [{kind, id}]}, and force
//	POST /drafts/discard  {all: true} or {items: [{kind, id}]}
//	POST /drafts/preview  an address that shows the storefront as the draft has it
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

// Draft answers the endpoints of this package.
type Draft struct {
	store *store.Store
	sites *load.Sites
	urls  api.URLs
	whole Whole
	now   func() time.Time

	mu        sync.Mutex
	rehearsed *lru.Weighted[shop.CompanyID, rehearsal] // by what they weigh
}

// Whole refuses a release of a shop some of whose bytes are not there with
// FILES_PENDING.
type Whole func(ctx context.Context, r store.Reader, id shop.ReleaseID) error

// New takes the store that holds the drafts, the compiled shops, the addresses of
// shops, what looks whether a release is whole, and a clock.
func New(s *store.Store, sites *load.Sites, urls api.URLs, whole Whole, now func() time.Time) *Draft {
	return &Draft{store: s, sites: sites, urls: urls, whole: whole, now: now, rehearsed: lru.New[shop.CompanyID, rehearsal](maxRehearsed)}
}

// maxItems is how many things one request names; more go with all.
const maxItems = 1000

// Endpoints is the table of this slice.
func (d *Draft) Endpoints() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/drafts", Contour: api.LiveOnly, Scopes: []shop.Scope{"catalog:read"}, Class: api.Read, Do: api.Handle(d.list), Summary: "A page of what waits in the draft, with differences and conflicts"},
		{Method: "POST", Path: "/drafts/publish", Contour: api.LiveOnly, Scopes: []shop.Scope{"publish:write"}, Class: api.Write, Errors: publishErrors, Do: api.Handle(d.publish), Summary: "Make what waits in the draft live, all or some of it, in one transaction"},
		{Method: "POST", Path: "/drafts/discard", Contour: api.LiveOnly, Scopes: []shop.Scope{"catalog:write"}, Class: api.Write, Errors: api.Refuses(draft.ErrNotFound), Do: api.Handle(d.discard), Summary: "Forget what waits in the draft, all or some of it"},
		{Method: "POST", Path: "/drafts/preview", Contour: api.LiveOnly, Scopes: []shop.Scope{"catalog:read"}, Class: api.Write, Do: api.Handle(d.preview), Summary: "A signed address that shows the storefront as the draft has it"},
	}
}

// publishErrors is what may stand between a draft and the live shop: its own
// rows, and the rules of the live ones it meets.
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

// itemID is an id as the API prints it anywhere: a number or a string.
type itemID string

// UnmarshalJSON reads both forms.
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
		Kind string `json:"kind"`
		ID   itemID `json:"id"`
	} `json:"items" max:"1000"`
}

// value checks a selection: everything, or some things by name.
func (s selection) value() (draft.Selection, error) {
	sel := draft.Selection{All: s.All}
	switch {
	case s.All == (len(s.Items) > 0):
		return sel, shop.ErrInvalidRequest.With("send all: true, or items: [{kind, id}]")
	case len(s.Items) > maxItems:
		return sel, shop.ErrInvalidRequest.At("items").With("at most 1000; all: true takes everything")
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
	Force bool `json:"force"` // the draft wins over what changed live meanwhile
}

// outcome lists what was published or discarded.
type outcome struct {
	Total int         `json:"total"`
	Items []draft.Ref `json:"items"`
	Also  []draft.Ref `json:"also" doc:"those of the items that nobody named: what the others need, at any depth"`
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
		return d.sites.Unbroken(ctx, tx, func() (err error) {
			items, err = draft.Publish(ctx, tx, sel, in.Force, company.Limits[store.LimitProducts])
			return err
		})
	})
	return outcomeOf(sel, items), err
}

// wholeReleases refuses a selection with a release that has lost bytes since it
// was published in the draft. The storage is asked before the transaction, which
// holds the shop's locks.
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

// releases are those that publishing a selection makes live.
func (d *Draft) releases(ctx context.Context, company shop.CompanyID, sel draft.Selection) (found map[shop.DocumentID]shop.ReleaseID, err error) {
	err = d.store.Rehearse(ctx, company, func(tx *store.Tx) (err error) {
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
