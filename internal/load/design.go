package load

import (
	"context"

	"vitrine/compile/design"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	designdb "vitrine/internal/store/design"
)

// Design reads the bindings of the shop's slots.
func Design(ctx context.Context, r store.Reader) (design.Bindings, error) {
	b := design.Bindings{Slots: map[design.Resource]map[string]shop.BlockID{}}
	var rows []designdb.Binding
	err := r.Together(ctx,
		func(r store.Reader) (err error) { rows, err = designdb.Bindings(ctx, r); return err },
		func(r store.Reader) (err error) { b.Layout, err = designdb.DefaultLayout(ctx, r); return err },
	)
	if err != nil {
		return b, err
	}
	for _, row := range rows {
		at := design.Resource{Type: row.Type, ID: shop.Int64(row.ID)}
		if b.Slots[at] == nil {
			b.Slots[at] = map[string]shop.BlockID{}
		}
		b.Slots[at][row.Slot] = row.Group
	}
	return b, nil
}
