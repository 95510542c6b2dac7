package review

import (
	"context"
	"slices"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/remark"
)

type moderateManyRequest struct {
	IDs    []shop.RemarkID `json:"ids" max:"100" doc:"1 to 100 ids"`
	Status string          `json:"status" len:"64" refuse:"REVIEW_STATUS_INVALID" enum:"pending,approved,rejected"`
}

type moderatedView struct {
	ID     shop.RemarkID `json:"id"`
	Status string        `json:"status" doc:"empty if the entry was not changed"`
	Error  string        `json:"error"`
}

type moderatedManyView struct {
	Results []moderatedView `json:"results"`
	Failed  int             `json:"failed"`
}

// moderateMany sets the status of many entries, each in its own transaction and by the rules of
// moderate. An entry that is listed twice is changed once.
func (rs *Reviews) moderateMany(kind remark.Kind) func(context.Context, *api.Call, moderateManyRequest) (moderatedManyView, error) {
	return func(ctx context.Context, c *api.Call, in moderateManyRequest) (out moderatedManyView, err error) {
		switch {
		case !slices.Contains(statuses, in.Status):
			return out, errStatus.At("status")
		case len(in.IDs) == 0:
			return out, shop.ErrInvalidRequest.At("ids").With("must not be empty")
		}
		out.Results = []moderatedView{}
		for _, id := range in.IDs {
			if slices.ContainsFunc(out.Results, func(v moderatedView) bool { return v.ID == id }) {
				continue
			}
			_, err := rs.setStatus(ctx, c, kind, id, in.Status, nil)
			done := moderatedView{ID: id, Status: in.Status}
			refusal, refused := shop.AsRefusal(err)
			switch {
			case refused:
				done.Status, done.Error = "", refusal.Error()
				out.Failed++
			case err != nil:
				return out, err
			}
			out.Results = append(out.Results, done)
		}
		return out, nil
	}
}

// setStatus moderates one entry; an empty status stays.
func (rs *Reviews) setStatus(ctx context.Context, c *api.Call, kind remark.Kind, id shop.RemarkID, status string, answer *string) (r remark.Remark, err error) {
	err = rs.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		if r, err = remark.Lock(ctx, tx, kind, id); err != nil {
			return err
		}
		if err := tx.CheckBasis(r.UpdatedAt); err != nil {
			return err
		}
		to := status
		if to == "" {
			to = r.Status
		}
		return remark.Moderate(ctx, tx, &r, to, answer, c.Person)
	})
	return r, err
}
