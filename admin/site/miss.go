package site

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

const maxHidden = 1000 // addresses in one request

type missesRequest struct {
	Hidden bool `query:"hidden" json:"-" doc:"the hidden addresses instead of the others"`
	api.Paging
}

func (s *Site) misses(ctx context.Context, c *api.Call, in missesRequest) (api.List[store.Miss], error) {
	number, limit, err := in.Page(20)
	if err != nil {
		return api.List[store.Miss]{}, err
	}
	list, total, err := s.store.Shop(c.Company).Misses(ctx, in.Hidden, number, limit)
	return api.List[store.Miss]{Result: list, Total: total, CurrentPage: number}, err
}

type hideRequest struct {
	Paths  []string `json:"paths"`
	Unhide bool     `json:"unhide"`
}

type hiddenMisses struct {
	Changed int `json:"changed"` // addresses of the log among the paths
}

func (s *Site) hideMisses(ctx context.Context, c *api.Call, in hideRequest) (out hiddenMisses, err error) {
	if len(in.Paths) > maxHidden {
		return out, shop.ErrInvalidRequest.With("paths holds at most 1000")
	}
	err = s.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		out.Changed, err = tx.HideMisses(ctx, in.Paths, !in.Unhide)
		return err
	})
	return out, err
}
