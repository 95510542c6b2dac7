package source_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"vitrine/compile"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/source"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/media"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/remark"
	"vitrine/internal/store/storetest"
	"vitrine/render"
)

// The page of a product shows approved remarks, the most helpful first, and none where the
// product or the shop does not accept them.
func TestAProductPageShowsApprovedRemarks(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	id := h.product("tea", h.category("teas", 0, "product"))
	var people []shop.UserID
	for i := range 4 {
		person, err := peopledb.CreatePerson(t.Context(), h.store, fmt.Sprintf("p%d@people.test", i), fmt.Sprintf("P%d", i), "-")
		if err != nil {
			t.Fatal(err)
		}
		people = append(people, person)
	}
	say := func(kind remark.Kind, person shop.UserID, stars int, status string) (r remark.Remark) {
		h.write(func(ctx context.Context, tx *store.Tx) error {
			r = remark.Remark{Kind: kind, Product: id, Person: &person, Text: "<i>" + status}
			if kind == remark.Review {
				r.Rating = &stars
			}
			if err := remark.Add(ctx, tx, &r); err != nil || status == "pending" {
				return err
			}
			return remark.Moderate(ctx, tx, &r, status, nil, people[0])
		})
		return r
	}
	first := say(remark.Review, people[0], 5, "approved")
	say(remark.Review, people[1], 2, "approved")
	say(remark.Review, people[2], 1, "rejected")
	say(remark.Review, people[3], 1, "pending")
	say(remark.Question, people[0], 0, "approved")
	say(remark.Question, people[0], 0, "pending")
	h.write(func(ctx context.Context, tx *store.Tx) error {
		_, _, err := remark.VoteHelpful(ctx, tx, remark.Review, first.ID, people[3])
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
		reviews, questions string // settings of the product
		shop               bool   // setting of the shop
		want               string
	}{
		{"", "", false, "{0 0} [0 0 0 0 0]"}, {"true", "", false, reviews}, {"", "true", false, "{0 0} [0 0 0 0 0]" + question},
		{"false", "false", true, "{0 0} [0 0 0 0 0]"}, {"", "", true, reviews + question},
	} {
		h.write(func(ctx context.Context, tx *store.Tx) error {
			s, err := companydb.LockSettings(ctx, tx)
			if err != nil {
				return err
			}
			s.Comments, s.Questions = c.shop, c.shop
			if err := companydb.SaveSettings(ctx, tx, &s); err != nil {
				return err
			}
			p, err := catalog.GetProduct(ctx, tx.Reader, id)
			if err != nil {
				return err
			}
			old := p
			p.CommentsEnabled, p.QuestionsEnabled = c.reviews, c.questions
			return catalog.UpdateProduct(ctx, tx, old, p)
		})
		if got := shown(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// The reviews of a page, its questions, ratings and pictures cost one query more than a
// page without them, however many there are, also for later pages and other sort orders.
func TestReviewsCostOneQueryPerPage(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	id := h.product("tea", h.category("teas", 0, "product"))
	counter := &storetest.Counter{}
	traced, err := store.Open(t.Context(), h.url, store.Traced(counter))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(traced.Close)
	blobs, err := blob.OpenDir(storetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := shop.ParseStorefronts("http://{shop}.localhost:8080")
	if err != nil {
		t.Fatal(err)
	}
	reader := source.New(traced, blobs, hosts)
	draw := func(asked render.RemarksQuery) (page *render.ProductPage, statements int, err error) {
		t.Helper()
		site, _ := h.site()
		counter.Take()
		c, err := reader.Content(t.Context(), site, render.PageRequest{Page: compile.PageRef{Entity: compile.EntityProduct, ID: int64(id)}, Number: 1, Remarks: asked})
		if err != nil {
			return nil, 0, err
		}
		return c.Page.(*render.ProductPage), len(counter.Take()), nil
	}
	takes := func(word string) {
		h.write(func(ctx context.Context, tx *store.Tx) error {
			p, err := catalog.GetProduct(ctx, tx.Reader, id)
			if err != nil {
				return err
			}
			old := p
			p.CommentsEnabled, p.QuestionsEnabled = word, word
			return catalog.UpdateProduct(ctx, tx, old, p)
		})
	}
	h.picture("x.png") // the library has a picture that no page shows
	takes("false")
	_, without, err := draw(render.RemarksQuery{})
	if err != nil {
		t.Fatal(err)
	}
	takes("true")
	if _, empty, err := draw(render.RemarksQuery{}); err != nil || empty != without+1 {
		t.Errorf("%d statements with no remarks yet, %d without reviews (%v)", empty, without, err)
	}
	var first shop.RemarkID
	for i := range 25 {
		person, err := peopledb.CreatePerson(t.Context(), h.store, fmt.Sprintf("q%d@people.test", i), fmt.Sprintf("Q%d Long", i), "-")
		if err != nil {
			t.Fatal(err)
		}
		h.write(func(ctx context.Context, tx *store.Tx) error {
			stars := 1 + i%5
			review := remark.Remark{Kind: remark.Review, Product: id, Person: &person, Rating: &stars, Text: "r"}
			question := remark.Remark{Kind: remark.Question, Product: id, Person: &person, Text: "q"}
			if i == 0 {
				f := media.File{ID: uuid.New(), UploadID: uuid.New(), Section: shop.ReviewSection, Type: "image", Name: "photo", Buyer: &person}
				f.Path, f.SHA256, f.Size, f.MIME, f.Width, f.Height = shop.ReviewPhoto(f.ID.String()), blob.Sum([]byte("p")), 1, "image/webp", 40, 30
				if err := media.RequestFile(ctx, tx, &f, []byte("h")); err != nil {
					return err
				}
				if err := remark.StorePhoto(ctx, tx, f, blob.Sum([]byte("original")), 8); err != nil {
					return err
				}
				review.Files = []uuid.UUID{f.ID}
			}
			for _, r := range []*remark.Remark{&review, &question} {
				if err := remark.Add(ctx, tx, r); err != nil {
					return err
				}
				if err := remark.Moderate(ctx, tx, r, "approved", nil, person); err != nil {
					return err
				}
			}
			if i == 0 {
				first = review.ID
			}
			return nil
		})
	}
	page, with, err := draw(render.RemarksQuery{})
	if err != nil || with > without+2 { // the pictures of the page are one more query where it had none
		t.Errorf("%d statements, %d without reviews (%v)", with, without, err)
	}
	if len(page.Remarks.Reviews) != 10 || page.Remarks.ReviewPages != 3 || page.Remarks.QuestionPages != 3 || page.Remarks.Stars != [5]int{5, 5, 5, 5, 5} || len(page.Product.Shown) != 1 {
		t.Errorf("%d reviews of %d pages, %v, %d pictures", len(page.Remarks.Reviews), page.Remarks.ReviewPages, page.Remarks.Stars, len(page.Product.Shown))
	}
	if page.Product.Shown[0].Image.Width != 40 || page.Remarks.Reviews[0].Author != "Q24 L." {
		t.Errorf("%+v", page.Product.Shown[0])
	}
	page, again, err := draw(render.RemarksQuery{Sort: "newest", Reviews: 3})
	if err != nil || again != with || len(page.Remarks.Reviews) != 5 || page.Remarks.Reviews[4].ID != first || len(page.Remarks.Questions) != 10 {
		t.Errorf("%d statements of the last page (%v): %+v", again, err, page)
	}
	if _, _, err := draw(render.RemarksQuery{Reviews: 4}); err == nil {
		t.Error("a fourth page was served")
	}
}
