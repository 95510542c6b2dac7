package review

import (
	"cmp"
	"context"
	"slices"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/remark"
)

type moderateManyRequest struct {
	IDs    []shop.RemarkID `json:"ids" required:"always" max:"100" doc:"1 to 100 ids"`
	Status status          `json:"status" required:"always" len:"64" refuse:"REVIEW_STATUS_INVALID"`
	DryRun bool            `json:"dry_run" doc:"write nothing, and answer in changes what each entry would change, as if it was the only one"`
}

type moderatedView struct {
	ID     shop.RemarkID `json:"id"`
	Status status        `json:"status" blank:"refused" doc:"empty if the entry was not changed"`
	Error  string        `json:"error"`
	shop.Fault
	Changes []api.Change `json:"changes,omitzero" doc:"in a dry run: what the edit would change"`
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
		write := rs.Store.Write
		if in.DryRun {
			write = rs.Store.DryRun
		}
		out.Results = []moderatedView{}
		for _, id := range in.IDs {
			if slices.ContainsFunc(out.Results, func(v moderatedView) bool { return v.ID == id }) {
				continue
			}
			done := moderatedView{ID: id, Status: in.Status}
			was, is, err := rs.setStatus(ctx, write, c, kind, id, in.Status, nil)
			if err == nil && in.DryRun {
				done.Changes, err = api.ChangesOf(memberView(was), memberView(is))
			}
			refusal, refused := shop.AsRefusal(err)
			switch {
			case refused:
				done.Status, done.Error, done.Fault = "", refusal.Error(), refusal.Fault()
				out.Failed++
			case err != nil:
				return out, err
			}
			out.Results = append(out.Results, done)
		}
		return out, nil
	}
}

// setStatus moderates one entry, and returns what it was and is; an empty status stays.
func (rs *Reviews) setStatus(ctx context.Context, write writer, c *api.Call, kind remark.Kind, id shop.RemarkID, to status, answer *string) (was, is remark.Remark, err error) {
	err = write(ctx, c.Company, func(tx *store.Tx) error {
		if was, err = remark.Lock(ctx, tx, kind, id); err != nil {
			return err
		}
		if err := tx.CheckBasis(was.UpdatedAt); err != nil {
			return err
		}
		is = was
		return remark.Moderate(ctx, tx, &is, cmp.Or(string(to), was.Status), answer, c.Person)
	})
	return was, is, err
}

// writer is Store.Write, or Store.DryRun.
type writer func(ctx context.Context, company shop.CompanyID, fn func(*store.Tx) error) error
