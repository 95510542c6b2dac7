package media

import (
	"bytes"
	"context"
	"slices"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	mediadb "vitrine/internal/store/media"
)

// maxUses is how many uses of a file are listed.
const maxUses = 100

type useView struct {
	Kind    mediadb.UseKind `json:"kind" doc:"what refers to the file; shop: the settings"`
	ID      string          `json:"id" doc:"of a variant the id of its product; empty for the settings of the shop"`
	Name    string          `json:"name" doc:"the name or title; of an order its number"`
	IsDraft bool            `json:"is_draft" doc:"true: it refers to the file in the draft"`
}

type usageView struct {
	Result []useView `json:"result"`
	Total  int       `json:"total"`
}

// usage lists what refers to a file: what deleting the file would change.
func (m *Media) usage(ctx context.Context, call *api.Call, in fileID) (out usageView, err error) {
	r := m.store.Shop(call.Company)
	f, err := mediadb.GetFile(ctx, r, in.ID)
	if err != nil {
		return out, err
	}
	uses, total, err := mediadb.FileUses(ctx, r, f, maxUses)
	out = usageView{Result: make([]useView, len(uses)), Total: total}
	for i, u := range uses {
		out.Result[i] = useView(u)
	}
	return out, err
}

type removeManyRequest struct {
	IDs []uuid.UUID `json:"ids" required:"always" max:"100" doc:"1 to 100 ids of files"`
}

type removedView struct {
	ID    uuid.UUID `json:"id"`
	Error string    `json:"error" doc:"the refusal as DELETE answers it; empty if the file was deleted"`
}

type removedManyView struct {
	Results []removedView `json:"results"`
	Failed  int           `json:"failed"`
}

// removeMany deletes files in one transaction, locked in the order of their ids. One that is listed
// twice is deleted once.
func (m *Media) removeMany(ctx context.Context, call *api.Call, in removeManyRequest) (out removedManyView, err error) {
	if len(in.IDs) == 0 {
		return out, shop.ErrInvalidRequest.At("ids").With("must not be empty")
	}
	order := slices.Clone(in.IDs)
	slices.SortFunc(order, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	order = slices.Compact(order)
	refusals := map[uuid.UUID]string{}
	err = m.store.Write(ctx, call.Company, func(tx *store.Tx) error {
		clear(refusals)
		for _, id := range order {
			f, err := mediadb.LockFile(ctx, tx, id)
			if err == nil {
				err = mediadb.DeleteFile(ctx, tx, f, m.now())
			}
			if refusal, refused := shop.AsRefusal(err); refused {
				refusals[id] = refusal.Error()
			} else if err != nil {
				return err
			}
		}
		return nil
	})
	out.Results = []removedView{}
	for _, id := range in.IDs {
		if slices.ContainsFunc(out.Results, func(v removedView) bool { return v.ID == id }) {
			continue
		}
		if out.Results = append(out.Results, removedView{id, refusals[id]}); refusals[id] != "" {
			out.Failed++
		}
	}
	return out, err
}
