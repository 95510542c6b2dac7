package source_test

import (
	"context"
	"fmt"
	"testing"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/render"
)

// The page of a product shows what is approved, the most helpful first, and nothing where
// the product or the shop takes none.
func TestAProductPageShowsWhatIsApproved(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.product("tea", h.category("teas", 0, "product"))
	var people []shop.UserID
	for i := range 4 {
		person, err := h.store.CreatePerson(t.Context(), fmt.Sprintf("p%d@people.test", i), fmt.Sprintf("P%d", i), "-")
		if err != nil {
			t.Fatal(err)
		}
		people = append(people, person)
	}
	say := func(kind store.RemarkKind, person shop.UserID, stars int, status string) (r store.Remark) {
		h.write(func(ctx context.Context, tx *store.Tx) error {
			r = store.Remark{Kind: kind, Product: id, Person: &person, Text: "<i>" + status}
			if kind == store.Review {
				r.Rating = &stars
			}
			if err := tx.Remark(ctx, &r); err != nil || status == "pending" {
				return err
			}
			return tx.Moderate(ctx, &r, status, nil, people[0])
		})
		return r
	}
	first := say(store.Review, people[0], 5, "approved")
	say(store.Review, people[1], 2, "approved")
	say(store.Review, people[2], 1, "rejected")
	say(store.Review, people[3], 1, "pending")
	say(store.Question, people[0], 0, "approved")
	say(store.Question, people[0], 0, "pending")
	h.write(func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Helpful(ctx, store.Review, first.ID, people[3])
		return err
	})
	shown := func() string {
		site, _ := h.site()
		c, err := h.page(site, compile.EntityProduct, int64(id), 1)
		if err != nil {
			t.Fatal(err)
		}
		page := c.Page.(*render.ProductPage)
		text := fmt.Sprint(page.Product.Rating, " ", page.Remarks.Stars)
		for _, r := range page.Remarks.Reviews {
			text += fmt.Sprint(" ", r.Author, r.Rating, r.Text)
		}
		for _, q := range page.Remarks.Questions {
			text += " ?" + q.Author + q.Text
		}
		return text
	}
	const reviews, question = "{3.5 2} [0 1 0 0 1] P05<i>approved P12<i>approved", " ?P0<i>approved"
	if got := shown(); got != reviews+question {
		t.Errorf("%q", got)
	}
	for _, c := range []struct {
		reviews, questions string // of the product
		shop               bool   // takes them
		want               string
	}{
		{"", "", false, "{3.5 2} [0 0 0 0 0]"}, {"true", "", false, reviews}, {"", "true", false, "{3.5 2} [0 0 0 0 0]" + question},
		{"false", "false", true, "{3.5 2} [0 0 0 0 0]"}, {"", "", true, reviews + question},
	} {
		h.write(func(ctx context.Context, tx *store.Tx) error {
			s, err := tx.LockSettings(ctx)
			if err != nil {
				return err
			}
			s.Comments, s.Questions = c.shop, c.shop
			if err := tx.SaveSettings(ctx, s); err != nil {
				return err
			}
			p, err := tx.Product(ctx, id)
			if err != nil {
				return err
			}
			old := p
			p.CommentsEnabled, p.QuestionsEnabled = c.reviews, c.questions
			return tx.UpdateProduct(ctx, old, p)
		})
		if got := shown(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
