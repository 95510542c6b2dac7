package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Refusals of remarks.
var (
	ErrReviewNotFound   = shop.Refuse(shop.NotFound, "REVIEW_NOT_FOUND").When("the shop has no review of this id that the caller may see")
	ErrQuestionNotFound = shop.Refuse(shop.NotFound, "QUESTION_NOT_FOUND").When("the shop has no question of this id that the caller may see")
	ErrRemarksClosed    = shop.Refuse(shop.FailedPrecondition, "COMMENTS_DISABLED").When("the product, or the shop, takes no reviews or questions")
)

// RemarkKind tells reviews from questions.
type RemarkKind string

// The kinds of remarks.
const (
	Review   RemarkKind = "review"
	Question RemarkKind = "question"
)

// NotFound is the refusal for a remark that is not there.
func (k RemarkKind) NotFound() *shop.Refusal {
	if k == Review {
		return ErrReviewNotFound
	}
	return ErrQuestionNotFound
}

// Remark is what somebody says of a product: a review with stars, or a question.
type Remark struct {
	ID         shop.RemarkID
	Kind       RemarkKind
	Product    shop.ProductID
	Person     *shop.UserID // nil: the person is no more
	Author     string
	Rating     *int // of a review, 1 to 5
	Text       string
	Pros       string
	Cons       string
	Files      []uuid.UUID
	Verified   bool // the person bought the product
	Status     string
	Answer     string
	AnsweredAt *time.Time
	Helpful    int
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

const remarkColumns = `id, kind, product_id, person_id, author, rating, text, pros, cons, file_ids, verified, status, answer, answered_at,
	helpful, created_at, updated_at`

// Remarked is how remarks of a kind stand with a product: whether it takes any, which
// its own word decides before the shop's.
func (r Reader) Remarked(ctx context.Context, kind RemarkKind, product shop.ProductID) (open bool, err error) {
	column, settled := "comments_enabled", func(s Settings) bool { return s.Comments }
	if kind == Question {
		column, settled = "questions_enabled", func(s Settings) bool { return s.Questions }
	}
	var own string
	s := &statement{args: []any{r.Company}}
	s.add(`SELECT p.`+column+` FROM product p WHERE p.company_id = $1 AND p.id = ? AND p.is_published AND p.deleted_at IS NULL`, product)
	r.hideProducts(s)
	err = r.q.QueryRow(ctx, s.String(), s.args...).Scan(&own)
	switch {
	case noRow(err):
		return false, ErrProductNotFound
	case err != nil || own != "":
		return own == "true", err
	}
	shops, err := r.Settings(ctx)
	return settled(shops), err
}

// Remark writes down what somebody says. Of one person and product there is one review: a
// second one takes its place and waits again. Files are those that the person has uploaded
// for it; others are left out.
func (tx *Tx) Remark(ctx context.Context, r *Remark) error {
	was, err := tx.locked(ctx, `SELECT `+remarkColumns+` FROM remark
		WHERE company_id = $1 AND kind = 'review' AND $2 = 'review' AND product_id = $3 AND person_id = $4 FOR UPDATE`, r.Kind, r.Product, r.Person)
	if err != nil {
		return err
	}
	err = tx.q.QueryRow(ctx, `
		INSERT INTO remark AS r (company_id, kind, product_id, person_id, author, rating, text, pros, cons, file_ids, verified)
		SELECT $1, $2, $3, p.id, p.name, $5, $6, $7, $8,
			ARRAY(SELECT f.id FROM unnest($9::uuid[]) WITH ORDINALITY a(id, n) JOIN media_file f ON f.company_id = $1 AND f.id = a.id
				WHERE f.section = 'reviews' AND f.created_by = p.id AND f.status = 'stored' ORDER BY a.n),
			EXISTS (SELECT FROM shop_order o JOIN order_line l ON l.company_id = o.company_id AND l.order_id = o.id
				WHERE o.company_id = $1 AND o.person_id = p.id AND o.status <> 'cancelled' AND l.product_id = $3)
		FROM person p WHERE p.id = $4
		ON CONFLICT (company_id, product_id, person_id) WHERE kind = 'review' AND person_id IS NOT NULL DO UPDATE SET
			author = excluded.author, rating = excluded.rating, text = excluded.text, pros = excluded.pros, cons = excluded.cons,
			file_ids = excluded.file_ids, verified = excluded.verified, status = 'pending', updated_at = now()
		RETURNING id, author, file_ids, verified, status, answer, answered_at, helpful, created_at, updated_at`,
		tx.Company, r.Kind, r.Product, r.Person, r.Rating, r.Text, r.Pros, r.Cons, r.Files).
		Scan(&r.ID, &r.Author, &r.Files, &r.Verified, &r.Status, &r.Answer, &r.AnsweredAt, &r.Helpful, &r.CreatedAt, &r.UpdatedAt)
	if err == nil && was != nil && was.Status == "approved" {
		err = tx.rate(ctx, r.Product)
	}
	return err
}

// locked is one remark that a query holds; nil: there is none.
func (tx *Tx) locked(ctx context.Context, query string, args ...any) (*Remark, error) {
	rows, err := tx.q.Query(ctx, query, append([]any{tx.Company}, args...)...)
	if err != nil {
		return nil, err
	}
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[Remark])
	if noRow(err) {
		return nil, nil
	}
	return r, err
}

// LockRemark reads a remark for a change of it.
func (tx *Tx) LockRemark(ctx context.Context, kind RemarkKind, id shop.RemarkID) (r Remark, err error) {
	found, err := tx.locked(ctx, `SELECT `+remarkColumns+` FROM remark WHERE company_id = $1 AND kind = $2 AND id = $3 FOR UPDATE`, kind, id)
	if err == nil && found == nil {
		err = kind.NotFound()
	}
	if err != nil {
		return r, err
	}
	return *found, nil
}

// Moderate writes down what the shop thinks of a locked remark, and what it answers. A
// review that is approved is told of with review.created; the stars of its product are
// counted anew.
func (tx *Tx) Moderate(ctx context.Context, r *Remark, status string, answer *string, by shop.UserID) error {
	was := r.Status
	err := tx.q.QueryRow(ctx, `
		UPDATE remark SET status = $3, moderated_by = $5, updated_at = now(),
			answered_at = CASE WHEN $4::text IS NULL OR $4 = answer THEN answered_at WHEN $4 <> '' THEN now() END, answer = coalesce($4, answer)
		WHERE company_id = $1 AND id = $2 RETURNING status, answer, answered_at, updated_at`,
		tx.Company, r.ID, status, answer, by).Scan(&r.Status, &r.Answer, &r.AnsweredAt, &r.UpdatedAt)
	if err != nil {
		return err
	}
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(r.Product)})
	if r.Kind != Review || was == status || was != "approved" && status != "approved" {
		return nil
	}
	if err := tx.rate(ctx, r.Product); err != nil || status != "approved" {
		return err
	}
	return tx.RecordEvent(ctx, "review.created", map[string]any{"review_id": r.ID, "company_id": tx.Company, "rating": *r.Rating, "product_id": r.Product})
}

// rate counts the stars of a product anew.
func (tx *Tx) rate(ctx context.Context, product shop.ProductID) error {
	if _, err := tx.q.Exec(ctx, `SELECT FROM product WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE`, tx.Company, product); err != nil {
		return err
	}
	// A statement of its own, which sees what others have counted meanwhile.
	_, err := tx.q.Exec(ctx, `
		UPDATE product SET rating = c.rating, rating_count = c.n
		FROM (SELECT coalesce(round(avg(rating), 2), 0)::double precision AS rating, count(*) AS n FROM remark
			WHERE company_id = $1 AND product_id = $2 AND kind = 'review' AND status = 'approved') c
		WHERE company_id = $1 AND id = $2`, tx.Company, product)
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(product)}, shop.Key{Kind: shop.KeyProducts})
	return err
}

// Helpful notes that a person found an approved remark helpful, once, and answers how
// many did.
func (tx *Tx) Helpful(ctx context.Context, kind RemarkKind, id shop.RemarkID, person shop.UserID) (n int, err error) {
	r, err := tx.LockRemark(ctx, kind, id)
	if err == nil && r.Status != "approved" {
		err = kind.NotFound()
	}
	if err == nil && tx.hidden != nil {
		if _, err = tx.Remarked(ctx, kind, r.Product); errors.Is(err, ErrProductNotFound) {
			err = kind.NotFound()
		}
	}
	if err != nil {
		return 0, err
	}
	if r.Person != nil && *r.Person == person {
		return r.Helpful, nil // one's own does not count
	}
	tag, err := tx.q.Exec(ctx, `
		INSERT INTO remark_vote (company_id, remark_id, person_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, tx.Company, id, person)
	if err != nil || tag.RowsAffected() == 0 {
		return r.Helpful, err
	}
	_, err = tx.q.Exec(ctx, `UPDATE remark SET helpful = helpful + 1 WHERE company_id = $1 AND id = $2`, tx.Company, id)
	return r.Helpful + 1, err
}

// remarkOrders are the orders of remarks of a product.
var remarkOrders = map[string]string{"": "id DESC", "newest": "id DESC", "rating": "rating DESC, id DESC", "helpful": "helpful DESC, id DESC"}

// RemarkSorts are the orders that remarks of a product can be listed in.
var RemarkSorts = []string{"newest", "rating", "helpful"}

// RemarkFilter narrows a list of remarks.
type RemarkFilter struct {
	Kind    RemarkKind
	Product shop.ProductID // 0: of any
	Status  string         // empty: of any
	Sort    string         // of RemarkSorts; empty: newest
}

// Remarks is one page of remarks, and how many there are.
func (r Reader) Remarks(ctx context.Context, f RemarkFilter, limit, offset int) (list []Remark, total int, err error) {
	const where = ` FROM remark WHERE company_id = $1 AND kind = $2 AND ($3::integer = 0 OR product_id = $3) AND ($4::text = '' OR status = $4)`
	args := []any{r.Company, f.Kind, f.Product, f.Status}
	if err = r.q.QueryRow(ctx, `SELECT count(*)`+where, args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := r.q.Query(ctx, `SELECT `+remarkColumns+where+` ORDER BY `+remarkOrders[f.Sort]+` LIMIT $5 OFFSET $6`, slices.Concat(args, []any{limit, offset})...)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Remark])
	return list, total, err
}

// Stars are how many approved reviews of a product have one star to five.
func (r Reader) Stars(ctx context.Context, product shop.ProductID) (stars [5]int, err error) {
	rows, err := r.q.Query(ctx, `
		SELECT rating, count(*) FROM remark WHERE company_id = $1 AND product_id = $2 AND kind = 'review' AND status = 'approved' GROUP BY rating`, r.Company, product)
	if err != nil {
		return stars, err
	}
	var rating, n int
	_, err = pgx.ForEachRow(rows, []any{&rating, &n}, func() error { stars[rating-1] = n; return nil })
	return stars, err
}

// shownOnPage is how many reviews, and how many questions, the page of a product shows.
const shownOnPage = 10

// RemarksShown are what the page of a product shows in one query: the most helpful
// reviews, the newest questions, and how many reviews have one star to five. Where the
// product takes none, there are none.
func (r Reader) RemarksShown(ctx context.Context, product shop.ProductID) (list []Remark, stars [5]int, err error) {
	rows, err := r.q.Query(ctx, `
		WITH open AS (
			SELECT coalesce(nullif(p.comments_enabled, ''), c.settings->>'comments', 'true') = 'true' AS reviews,
				coalesce(nullif(p.questions_enabled, ''), c.settings->>'questions', 'true') = 'true' AS questions
			FROM product p JOIN company c ON c.id = p.company_id WHERE p.company_id = $1 AND p.id = $2)
		(SELECT `+remarkColumns+`, ARRAY[count(*) FILTER (WHERE rating = 1) OVER (), count(*) FILTER (WHERE rating = 2) OVER (),
			count(*) FILTER (WHERE rating = 3) OVER (), count(*) FILTER (WHERE rating = 4) OVER (), count(*) FILTER (WHERE rating = 5) OVER ()]
		FROM remark WHERE company_id = $1 AND product_id = $2 AND kind = 'review' AND status = 'approved' AND (SELECT reviews FROM open)
		ORDER BY helpful DESC, id DESC LIMIT $3)
		UNION ALL
		(SELECT `+remarkColumns+`, '{}' FROM remark
		WHERE company_id = $1 AND product_id = $2 AND kind = 'question' AND status = 'approved' AND (SELECT questions FROM open)
		ORDER BY id DESC LIMIT $3)`, r.Company, product, shownOnPage)
	if err != nil {
		return nil, stars, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Remark
		Stars []int
	}])
	for _, one := range found {
		list = append(list, one.Remark)
		copy(stars[:], one.Stars)
	}
	return list, stars, err
}
