package design

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/compile/design"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	designdb "vitrine/internal/store/design"
)

// Refusals of bindings (document 3, 4.1).
var (
	errBindingType = shop.Refuse(shop.InvalidArgument, "BINDING_TYPE_UNKNOWN").When("no resource of this type has slots")
	errBindingSlot = shop.Refuse(shop.InvalidArgument, "BINDING_SLOT_UNKNOWN").When("the slot is not one of the known slots")
	errBindingID   = shop.Refuse(shop.InvalidArgument, "BINDING_RESOURCE_INVALID").When("the id is not valid for this type")
	errNotGroup    = shop.Refuse(shop.InvalidArgument, "BLOCK_NOT_GROUP").When("a slot accepts only a group, and the block is not one")
)

// chromeSlots are the slots whose changes are reported by the event design.changed.
var chromeSlots = []string{"footer", "header"}

type bindingPath struct {
	Type shop.ResourceType `path:"type" json:"-"`
	ID   shop.Int64        `path:"id" json:"-"`
}

// resource checks that the path names an existing resource of the shop.
func (p bindingPath) resource(ctx context.Context, r store.Reader) (design.Resource, error) {
	at := design.Resource(p)
	var err error
	switch p.Type {
	case design.Shop:
		if p.ID != 0 {
			err = errBindingID.With("the shop is bound with the id 0")
		}
	case design.Category, design.Children:
		_, err = catalog.GetCategory(ctx, r, narrow[shop.CategoryID](p.ID))
	case design.Product:
		var row catalog.Product
		if row, err = catalog.GetProduct(ctx, r, narrow[shop.ProductID](p.ID)); err == nil && row.DeletedAt != nil {
			err = catalog.ErrProductNotFound
		}
	case design.Article:
		var row catalog.Article
		if row, err = catalog.GetArticle(ctx, r, narrow[shop.ArticleID](p.ID)); err == nil && row.DeletedAt != nil {
			err = catalog.ErrArticleNotFound
		}
	case design.Layout:
		_, err = designdb.Layout(ctx, r, shop.BlockID(p.ID))
	case design.System:
		if p.ID < 0 {
			err = errBindingID.With("ids are not negative")
		}
	default:
		err = errBindingType.With("the type is one of " + shop.Words(design.Types))
	}
	return at, err
}

// narrow converts an id of the path to a 32-bit id. An id that does not fit becomes 0, which no
// row has.
func narrow[ID ~int32](id shop.Int64) ID {
	if n := ID(id); int64(n) == int64(id) {
		return n
	}
	return 0
}

type bindingView struct {
	Slots     map[string]shop.BlockID `json:"slots"`      // bound to the resource itself
	Resolved  map[string]design.Bound `json:"resolved"`   // including inherited slots
	UpdatedAt time.Time               `json:"updated_at"` // of slots; 1970 if nothing is bound
}

func (d *Design) binding(ctx context.Context, c *api.Call, in bindingPath) (api.Result[bindingView], error) {
	r := d.store.Shop(c.Company)
	at, err := in.resource(ctx, r)
	if err != nil {
		return api.Result[bindingView]{}, err
	}
	view, err := viewBinding(ctx, r, at)
	return api.Wrap(view), err
}

type bindRequest struct {
	bindingPath
	api.Basis
	Slots *map[string]shop.BlockID `json:"slots" required:"always" max:"100" refuse:"BINDING_SLOT_UNKNOWN"`
}

func (d *Design) bind(ctx context.Context, c *api.Call, in bindRequest) (api.Result[bindingView], error) {
	var view bindingView
	if in.Slots == nil {
		return api.Wrap(view), shop.ErrInvalidRequest.At("slots").With("missing; {} unbinds all slots")
	}
	err := d.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if err := tx.LockTree(ctx); err != nil { // the page may get the title of its template
			return err
		}
		if err := tx.LockDesign(ctx); err != nil {
			return err
		}
		at, err := in.resource(ctx, tx.Reader)
		if err != nil {
			return err
		}
		boundAt, err := designdb.BoundAt(ctx, tx.Reader, at.Type, int64(at.ID))
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(boundAt); err != nil {
			return err
		}
		if err := checkSlots(ctx, tx.Reader, at.Type, *in.Slots); err != nil {
			return err
		}
		before, err := ownSlots(ctx, tx.Reader, at)
		if err != nil {
			return err
		}
		if err := designdb.Bind(ctx, tx, at.Type, int64(at.ID), *in.Slots); err != nil {
			return err
		}
		if err := chromeChanged(ctx, tx, at, before, *in.Slots); err != nil {
			return err
		}
		if err := d.titleOfTemplate(ctx, tx, at, before[design.Body], (*in.Slots)[design.Body]); err != nil {
			return err
		}
		view, err = viewBinding(ctx, tx.Reader, at)
		return err
	})
	return api.Wrap(view), err
}

// titleOfTemplate copies the SEO texts of the documents in a newly bound template to the section,
// if it has none.
func (d *Design) titleOfTemplate(ctx context.Context, tx *store.Tx, at design.Resource, before, now shop.BlockID) error {
	if at.Type != design.Category || now == 0 || now == before {
		return nil
	}
	mounted, err := documentsBelow(ctx, tx.Reader, now)
	if err != nil {
		return err
	}
	var docs []shop.DocumentID
	for _, m := range mounted {
		docs = append(docs, m.DocumentID)
	}
	return d.giveSEO(ctx, tx, docs, []shop.CategoryID{shop.CategoryID(at.ID)})
}

// checkSlots requires known slots, bound to existing groups of the shop.
func checkSlots(ctx context.Context, r store.Reader, kind shop.ResourceType, slots map[string]shop.BlockID) error {
	for slot := range slots {
		if !slices.Contains(design.Slots(kind), slot) {
			return errBindingSlot.At("slots").With("a " + string(kind) + " has the slots " + strings.Join(design.Slots(kind), ", "))
		}
	}
	found, err := designdb.BlocksByID(ctx, r, slices.Collect(maps.Values(slots)))
	if err != nil {
		return err
	}
	for slot, id := range slots {
		i := slices.IndexFunc(found, func(b designdb.Block) bool { return b.ID == id })
		if i < 0 {
			return designdb.ErrBlockNotFound.At("slots." + slot).With("the shop has no such block")
		}
		if found[i].GroupType == shop.SingleBlock {
			return errNotGroup.At("slots." + slot).With("accepts a group: a content block with a group_type")
		}
	}
	return nil
}

// ownSlots returns the slots bound to the resource itself, without inherited ones.
func ownSlots(ctx context.Context, r store.Reader, at design.Resource) (map[string]shop.BlockID, error) {
	all, err := load.Design(ctx, r)
	return all.Slots[at], err
}

type designChanged struct {
	CompanyID    shop.CompanyID    `json:"company_id"`
	ResourceType shop.ResourceType `json:"resource_type"`
	ResourceID   shop.Int64        `json:"resource_id"` // 0: the shop's default
	Slots        []string          `json:"slots"`       // the changed ones of header and footer
}

// chromeChanged records the event design.changed if the header or footer of a resource changed
// (document 3, section 6).
func chromeChanged(ctx context.Context, tx *store.Tx, at design.Resource, before, now map[string]shop.BlockID) error {
	event := designChanged{CompanyID: tx.Company, ResourceType: at.Type, ResourceID: at.ID}
	for _, slot := range chromeSlots {
		if before[slot] != now[slot] {
			event.Slots = append(event.Slots, slot)
		}
	}
	if event.Slots == nil {
		return nil
	}
	return tx.RecordEvent(ctx, "design.changed", event)
}

// viewBinding resolves every slot of a resource, as the storefront does.
func viewBinding(ctx context.Context, r store.Reader, at design.Resource) (bindingView, error) {
	view := bindingView{Slots: map[string]shop.BlockID{}}
	bindings, err := load.Design(ctx, r)
	if err != nil {
		return view, err
	}
	above, err := sectionsAbove(ctx, r, at)
	if err != nil {
		return view, err
	}
	maps.Copy(view.Slots, bindings.Slots[at])
	view.Resolved = bindings.Resolve(at, above)
	view.UpdatedAt, err = designdb.BoundAt(ctx, r, at.Type, int64(at.ID))
	return view, err
}

// sectionsAbove lists the sections whose category_children apply to a resource, nearest first.
func sectionsAbove(ctx context.Context, r store.Reader, at design.Resource) ([]shop.CategoryID, error) {
	switch at.Type {
	case design.Product:
		product, err := catalog.GetProduct(ctx, r, shop.ProductID(at.ID))
		if err != nil {
			return nil, err
		}
		return sectionsUpwards(ctx, r, product.Category)
	case design.Children:
		return sectionsUpwards(ctx, r, shop.CategoryID(at.ID))
	}
	return nil, nil
}

// sectionsUpwards lists a section and all its ancestors, nearest first.
func sectionsUpwards(ctx context.Context, r store.Reader, id shop.CategoryID) (chain []shop.CategoryID, err error) {
	rows, err := catalog.CategoryAddresses(ctx, r)
	if err != nil {
		return nil, err
	}
	parents := make(map[shop.CategoryID]shop.CategoryID, len(rows))
	for _, row := range rows {
		parents[row.ID] = row.Parent
	}
	for {
		parent, live := parents[id]
		if !live {
			return chain, nil
		}
		chain = append(chain, id)
		delete(parents, id) // terminates on a cycle in corrupt rows
		id = parent
	}
}
