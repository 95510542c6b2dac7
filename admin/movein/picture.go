package movein

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/deliver"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	moveindb "vitrine/internal/store/movein"
)

const (
	fetchers    = 4               // of one process
	ofOneShop   = 2               // at a time, so that a shop does not delay others
	fetchLease  = 3 * time.Minute // longer than a fetch with its conversion
	fetchPoll   = time.Second
	maxAttempts = 4
)

// pauses are the times after which a picture is tried again.
var pauses = [maxAttempts]time.Duration{0, 10 * time.Second, time.Minute, 10 * time.Minute}

// Worker returns the background loop that fetches the pictures of imports.
func (ms *MoveIns) Worker(log *slog.Logger) *deliver.Loop[moveindb.Picture] {
	return &deliver.Loop[moveindb.Picture]{
		Name: "pictures of imports", Workers: fetchers, PerWorker: 1, Batch: fetchers, Lease: fetchLease, Interval: fetchPoll,
		Claim: func(ctx context.Context, most int) ([]moveindb.Picture, error) {
			now := ms.Now()
			return moveindb.ClaimPictures(ctx, ms.Store, now, now.Add(fetchLease), ofOneShop, most)
		},
		Deliver: func(ctx context.Context, _ int, p moveindb.Picture) error { return ms.fetch(ctx, p) },
	}
}

// fetch fetches a picture into the library and places it. A failure that may pass is tried again;
// the others keep their order meanwhile.
func (ms *MoveIns) fetch(ctx context.Context, p moveindb.Picture) error {
	h := ms.as(p.Person, p.Company)
	err := ms.Store.AsOne(ctx, func(ctx context.Context) error {
		file, err := h.result(ctx, "POST", "/v1/storages/files/from-url", nil, object{
			"source_url": p.Address, "section": "products", "file_type": "image",
		})
		if err != nil {
			return err
		}
		stored, err := uuid.Parse(text(file["id"]))
		if err != nil {
			return err
		}
		return h.settle(ctx, p, &stored, "")
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	refusal, known := shop.AsRefusal(err)
	if !known || mayPass(refusal) {
		reason := "INTERNAL"
		if known {
			reason = reasonOf(refusal)
		}
		if p.Attempts < maxAttempts {
			err = moveindb.Retry(ctx, ms.Store, p, reason, ms.Now().Add(pauses[p.Attempts]))
			if err == nil {
				err = ms.Store.AsOne(ctx, func(ctx context.Context) error { return h.placeAll(ctx, p.ID) })
			}
			return err
		}
		return ms.Store.AsOne(ctx, func(ctx context.Context) error { return h.settle(ctx, p, nil, reason) })
	}
	return ms.Store.AsOne(ctx, func(ctx context.Context) error { return h.settle(ctx, p, nil, reasonOf(refusal)) })
}

// mayPass reports whether a picture may be there later: its server is unavailable or overloaded. One that
// says that the picture does not exist is believed.
func mayPass(r *shop.Refusal) bool {
	if r.Class == shop.Unavailable || r.Class == shop.Internal || r.RetryAfterHeader() != "" {
		return true
	}
	return r.Code == "URL_FETCH_FAILED" &&
		(strings.HasSuffix(r.Detail, "does not respond") || strings.Contains(r.Detail, "status 5") || strings.HasSuffix(r.Detail, "status 429") ||
			strings.Contains(r.Detail, "took longer"))
}

func reasonOf(r *shop.Refusal) string {
	reason := r.Code
	if r.Detail != "" {
		reason += ": " + r.Detail
	}
	return shop.Clip(reason, 300)
}

func (h hand) settle(ctx context.Context, p moveindb.Picture, file *uuid.UUID, reason string) error {
	err := h.Store.Write(ctx, p.Company, func(tx *store.Tx) error { return moveindb.Settle(ctx, tx, p, file, reason) })
	if err != nil {
		return err
	}
	return h.placeAll(ctx, p.ID)
}

// placeAll places what there is of the objects that show a picture.
func (h hand) placeAll(ctx context.Context, picture int64) error {
	return h.Store.Write(ctx, h.who.Company, func(tx *store.Tx) error {
		ready, err := moveindb.Placings(ctx, tx, picture)
		if err != nil {
			return err
		}
		for _, one := range ready {
			if err := h.place(ctx, tx, one); err != nil {
				return err
			}
		}
		return nil
	})
}

// place writes the pictures of an object that are in the library, in the order of the files. A
// gallery, a cover or a set's picture that the owner has chosen since stays.
func (h hand) place(ctx context.Context, tx *store.Tx, p moveindb.Placing) error {
	var at shows
	if err := json.Unmarshal(p.Places, &at); err != nil {
		return err
	}
	k := kindOf(p.Kind)
	if k == nil || k.read == nil {
		return nil
	}
	now, err := k.read(ctx, h, p.Object)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	item := object{}
	var before []string
	if len(p.Placed) > 0 {
		if err := json.Unmarshal(p.Placed, &before); err != nil {
			return err
		}
	}
	ids := at.gallery(p.Files)
	if current := idsOf(now["gallery"]); k == &products && (len(current) == 0 || slices.Equal(current, before)) && !slices.Equal(current, ids) {
		item["gallery"] = references(ids)
		if err := h.describe(ctx, at, p.Files, before); err != nil {
			return err
		}
	} else if !slices.Equal(current, ids) {
		ids = before
	}
	if file, ok := p.Files[at.Cover]; ok && k.shown != "gallery" && now[k.shown] == nil {
		item[k.shown] = file.ID
	}
	if sets := at.sets(p.Files, list(now["variants"])); sets != nil {
		item["variants"] = sets
	}
	for _, field := range []string{"description", "text"} {
		if was, ok := now[field].(string); ok {
			if rewritten := at.rewrite(was, p.Files); rewritten != was {
				item[field] = rewritten
			}
		}
	}
	if len(item) > 0 {
		err = k.undo(ctx, h, p.Object, item)
		if refusal, ok := refused(err); ok {
			_ = refusal // the object was changed meanwhile, such as by the deletion of a file
			return nil
		}
		if err != nil {
			return err
		}
	}
	return moveindb.SetPlaced(ctx, tx, p.Kind, p.Object, ids)
}

// gallery returns the files of the gallery that are there, in their order.
func (s shows) gallery(files map[string]moveindb.File) (ids []string) {
	ids = []string{}
	for _, p := range s.Gallery {
		if f, ok := files[p.Address]; ok && !slices.Contains(ids, f.ID.String()) {
			ids = append(ids, f.ID.String())
		}
	}
	return ids
}

func idsOf(gallery any) []string {
	ids := []string{}
	for _, entry := range list(gallery) {
		f, _ := entry.(object)
		ids = append(ids, text(f["id"]))
	}
	return ids
}

func references(ids []string) []object {
	out := make([]object, len(ids))
	for i, id := range ids {
		out[i] = object{"id": id}
	}
	return out
}

// sets returns the sets of a product with the pictures that they have not got yet; nil if there
// is none.
func (s shows) sets(files map[string]moveindb.File, now []any) (sets []object) {
	changed := false
	for _, entry := range now {
		v, _ := entry.(object)
		set := pick(v, "id")
		for _, wanted := range s.Variants {
			f, ok := files[wanted.Address]
			same := wanted.SKU != "" && wanted.SKU == text(v["sku"]) || optionsOf(wanted.Options) == optionsOf(v["options"])
			if ok && same && v["image_id"] == nil {
				set["image_id"], changed = f.ID, true
				break
			}
		}
		sets = append(sets, set)
	}
	if !changed {
		return nil
	}
	return sets
}

// rewrite replaces the addresses of pictures in a text by those of our files.
func (s shows) rewrite(text string, files map[string]moveindb.File) string {
	for _, t := range s.Text {
		if f, ok := files[t.Address]; ok {
			for _, quote := range []string{`"`, `'`} {
				text = strings.ReplaceAll(text, quote+t.Written+quote, quote+shop.FileURL(f.Path)+quote)
			}
		}
	}
	return text
}

// describe gives files that are placed for the first time their alternative texts.
func (h hand) describe(ctx context.Context, at shows, files map[string]moveindb.File, before []string) error {
	for _, p := range at.Gallery {
		f, ok := files[p.Address]
		if !ok || p.Alt == "" || slices.Contains(before, f.ID.String()) {
			continue
		}
		_, err := h.Do(ctx, h.who, "PUT", "/v1/storages/files/{id}", map[string]string{"id": f.ID.String()}, object{"alt": shop.Clip(p.Alt, 500)})
		if _, ok := refused(err); err != nil && !ok {
			return err
		}
	}
	return nil
}
