package design

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Binding puts a group of blocks into a slot of a resource (document 3, 4.1).
type Binding struct {
	Type  shop.ResourceType
	ID    int64  // 0 for the shop
	Slot  string // header, footer, body, …
	Group shop.BlockID
}

// Bindings lists the design bindings of the shop whose group is not deleted; there are few.
// A binding to a deleted group does not count, so that its slot is inherited again.
func Bindings(ctx context.Context, r store.Reader) ([]Binding, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT d.resource_type, d.resource_id, d.slot, d.group_id FROM design_binding d
		JOIN content_block b ON b.company_id = $1 AND b.id = d.group_id AND b.deleted_at IS NULL
		WHERE d.company_id = $1 ORDER BY 1, 2, 3`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Binding])
}

// DefaultLayout returns the shop's layout: its earliest group of the type theme, 0 without
// one (document 3, 4.1).
func DefaultLayout(ctx context.Context, r store.Reader) (id shop.BlockID, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT coalesce(min(id), 0) FROM content_block WHERE company_id = $1 AND group_type = 'theme' AND deleted_at IS NULL`,
		r.Company).Scan(&id)
	return id, err
}

// ErrLayoutNotFound is returned for a block that is not a layout or is deleted.
var ErrLayoutNotFound = ErrBlockNotFound.With("a layout is a group with the group_type theme")

// Layout reads a layout of the shop (document 3, 4.1).
func Layout(ctx context.Context, r store.Reader, id shop.BlockID) (Block, error) {
	found, err := BlocksByID(ctx, r, []shop.BlockID{id})
	if err == nil && (len(found) == 0 || found[0].GroupType != shop.LayoutGroup) {
		err = ErrLayoutNotFound
	}
	if err != nil {
		return Block{}, err
	}
	return found[0], nil
}

// BoundAt returns when the slots of a resource were last replaced, 1970 if nothing is bound.
func BoundAt(ctx context.Context, r store.Reader, kind shop.ResourceType, id int64) (at time.Time, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT greatest(coalesce(max(updated_at), 'epoch'), (SELECT at FROM draft_edit WHERE $4 AND company_id = $1 AND kind = 'design_binding' AND id = $5))
		FROM design_binding WHERE company_id = $1 AND resource_type = $2 AND resource_id = $3`,
		r.Company, kind, id, store.InDraftOf(ctx, r.Company), slotsOf(kind, id)).Scan(&at)
	return at.UTC(), err
}

// slotsOf is the id that the draft has for the slots of a resource.
func slotsOf(kind shop.ResourceType, id int64) string {
	return string(kind) + ":" + strconv.FormatInt(id, 10)
}

// Bind replaces the slots of one resource; an empty map unbinds it.
func Bind(ctx context.Context, tx *store.Tx, kind shop.ResourceType, id int64, slots map[string]shop.BlockID) error {
	tx.Changed(shop.Key{Kind: shop.KeyDesign})
	if _, err := tx.DB.Exec(ctx, `
		DELETE FROM design_binding WHERE company_id = $1 AND resource_type = $2 AND resource_id = $3`, tx.Company, kind, id); err != nil {
		return err
	}
	for slot, group := range slots {
		if _, err := tx.DB.Exec(ctx, `
			INSERT INTO design_binding (company_id, resource_type, resource_id, slot, group_id) VALUES ($1, $2, $3, $4, $5)`,
			tx.Company, kind, id, slot, group); err != nil {
			return err
		}
	}
	return tx.TouchDraft(ctx, "design_binding", slotsOf(kind, id))
}
