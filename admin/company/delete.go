package company

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

type deletion struct {
	Slug string `json:"slug" len:"body" doc:"the slug of the shop, as a confirmation"`
}

type deletedView struct {
	Company         shop.CompanyID `json:"company_id"`
	Slug            string         `json:"slug" doc:"it stays taken"`
	DeletedAt       time.Time      `json:"deleted_at"`
	RestorableUntil time.Time      `json:"restorable_until" doc:"then the shop is deleted for good"`
}

// remove deletes the shop so that it can be restored.
func (s *Shops) remove(ctx context.Context, c *api.Call, in deletion) (out api.Result[deletedView], err error) {
	var d companydb.Deleted
	now, err := s.Store.Clock(ctx) // the upkeep deletes the shop by the same
	if err != nil {
		return out, err
	}
	err = s.write(ctx, c, func(tx *store.Tx) (err error) {
		d, err = companydb.Delete(ctx, tx, now.Truncate(time.Second))
		if err == nil && d.Slug != in.Slug {
			err = ErrSlugWrong.At("slug").With("the shop is called " + d.Slug)
		}
		return err
	})
	return api.Wrap(deletedView{d.Company, d.Slug, d.At, d.RestorableUntil}), err
}

// restore undoes a deletion. A shop that is not deleted stays as it is, so that a repeated call
// has the same response.
func (s *Shops) restore(ctx context.Context, c *api.Call, _ api.None) (out api.Result[orgView], err error) {
	id := max(c.Deleted, c.Company)
	if id == 0 {
		return out, errOwner
	}
	now, err := s.Store.Clock(ctx)
	if err != nil {
		return out, err
	}
	err = s.writeAs(ctx, id, c.Person, func(tx *store.Tx) error { return companydb.RestoreDeleted(ctx, tx, now) })
	if err != nil {
		return out, err
	}
	v, err := s.view(ctx, id)
	return api.Wrap(v), err
}
