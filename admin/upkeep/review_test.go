package upkeep_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/upkeep"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/media"
	"vitrine/internal/store/remark"
)

// A picture without a review is deleted after a day, one with a review is kept; pages whose votes
// have changed are rendered again, once.
func TestUnusedPhotosAreDeletedAndVotesShown(t *testing.T) {
	h := open(t)
	made, _ := h.product(nil)
	product := shop.ProductID(made.(float64))
	ann, ben := h.Buyer("ann@people.test"), h.Buyer("ben@people.test")
	write := func(fn func(ctx context.Context, tx *store.Tx) error) {
		t.Helper()
		if err := h.Store.Write(t.Context(), h.Shop.ID, func(tx *store.Tx) error { return fn(t.Context(), tx) }); err != nil {
			t.Fatal(err)
		}
	}
	stars := 5
	review := remark.Remark{Kind: remark.Review, Product: product, Person: &ann, Rating: &stars}
	for _, said := range []string{"kept", "loose"} {
		f := media.File{ID: uuid.New(), UploadID: uuid.New(), Section: shop.ReviewSection, Type: "image", Name: "photo", Buyer: &ann, CreatedAt: h.Clock.Now()}
		f.Path, f.SHA256, f.Size = shop.ReviewPhoto(f.ID.String()), blob.Sum([]byte(said)), 10
		write(func(ctx context.Context, tx *store.Tx) error {
			if err := media.RequestFile(ctx, tx, &f, []byte(said)); err != nil {
				return err
			}
			return remark.StorePhoto(ctx, tx, f, blob.Sum([]byte("sent "+said)), 20)
		})
		if said == "kept" {
			review.Files = []uuid.UUID{f.ID}
		}
	}
	write(func(ctx context.Context, tx *store.Tx) error { return remark.Add(ctx, tx, &review) })
	write(func(ctx context.Context, tx *store.Tx) error {
		return remark.Moderate(ctx, tx, &review, "approved", nil, ben)
	})
	used := func() int64 {
		n, _, err := media.Storage(t.Context(), h.Store.Shop(h.Shop.ID))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	h.Clock.Advance(upkeep.LoosePhoto - time.Minute)
	h.round()
	if used() != 20 {
		t.Errorf("%d bytes within a day", used())
	}
	write(func(ctx context.Context, tx *store.Tx) error {
		_, _, err := remark.VoteHelpful(ctx, tx, remark.Review, review.ID, ben)
		return err
	})
	version := func() int64 {
		info, err := company.Info(t.Context(), h.Store.Shop(h.Shop.ID))
		if err != nil {
			t.Fatal(err)
		}
		return info.Version
	}
	before := version()
	h.Clock.Advance(2 * time.Minute)
	h.round()
	if used() != 10 {
		t.Errorf("%d bytes after a day", used())
	}
	after := version()
	keys, _, _, err := h.Store.Shop(h.Shop.ID).Changes(t.Context(), before)
	if err != nil || len(keys) != 1 || keys[0] != (shop.Key{Kind: shop.KeyProduct, ID: int64(product)}) {
		t.Errorf("pages to render again: %v (%v)", keys, err)
	}
	h.round()
	if version() != after {
		t.Error("a page is rendered again without a reason")
	}
}
