package store

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Refusals of remarks.
var (
	ErrReviewNotFound   = shop.Refuse(shop.NotFound, "REVIEW_NOT_FOUND").When("the shop has no review with this id that the caller may see")
	ErrQuestionNotFound = shop.Refuse(shop.NotFound, "QUESTION_NOT_FOUND").When("the shop has no question with this id that the caller may see")
	ErrRemarksClosed    = shop.Refuse(shop.FailedPrecondition, "COMMENTS_DISABLED").When("the product, or the shop, accepts no reviews or questions")
	ErrRemarksWaiting   = shop.Refuse(shop.ResourceExhausted, "REMARKS_WAITING").When("1,000 unverified reviews or questions already wait for moderation; people who verified an e-mail address or bought the product can still write")
	ErrQuestionsWaiting = shop.Refuse(shop.ResourceExhausted, "QUESTIONS_WAITING").When("5 questions of the person about the product already wait for moderation")
)

// RemarkKind distinguishes reviews from questions.
type RemarkKind string

// The kinds of remarks.
const (
	Review   RemarkKind = "review"
	Question RemarkKind = "question"
)

// NotFound returns the refusal for a missing remark.
func (k RemarkKind) NotFound() *shop.Refusal {
	if k == Review {
		return ErrReviewNotFound
	}
	return ErrQuestionNotFound
}

// Remark is what a person writes about a product: a review with a rating, or a question.
type Remark struct {
	ID         shop.RemarkID
	Kind       RemarkKind
	Product    shop.ProductID
	Person     *shop.UserID // nil: the person was deleted
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

// Remarked reports whether a product accepts remarks of a kind. The product's own setting
// overrides the shop's.
func (r Reader) Remarked(ctx context.Context, kind RemarkKind, product shop.ProductID) (open bool, err error) {
	column, shopDefault := "comments_enabled", func(s Settings) bool { return s.Comments }
	if kind == Question {
		column, shopDefault = "questions_enabled", func(s Settings) bool { return s.Questions }
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
	settings, err := r.Settings(ctx)
	return shopDefault(settings), err
}

// Limits of remarks that wait for moderation, so that one person cannot flood the queue.
const (
	questionsWaiting = 5    // of one person about one product
	unvouchedWaiting = 1000 // in one shop, of all people who neither verified an address nor bought the product
	remarksAnHour    = 20   // letters to the seller about either kind
)

// Remark stores a remark, with the letter to the seller. A person has one review per
// product: a second one replaces it and waits for moderation again. Files are pictures that
// the person has uploaded for it; others return ErrFileNotFound.
func (tx *Tx) Remark(ctx context.Context, r *Remark) error {
	if err := tx.vouch(ctx, r); err != nil {
		return err
	}
	previous, err := tx.locked(ctx, `SELECT `+remarkColumns+` FROM remark
		WHERE company_id = $1 AND kind = 'review' AND $2 = 'review' AND product_id = $3 AND person_id = $4 FOR UPDATE`, r.Kind, r.Product, r.Person)
	if err == nil {
		err = tx.attach(ctx, r, previous)
	}
	if err != nil {
		return err
	}
	err = tx.q.QueryRow(ctx, `
		INSERT INTO remark (company_id, kind, product_id, person_id, author, rating, text, pros, cons, file_ids, verified)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (company_id, product_id, person_id) WHERE kind = 'review' AND person_id IS NOT NULL DO UPDATE SET
			author = excluded.author, rating = excluded.rating, text = excluded.text, pros = excluded.pros, cons = excluded.cons,
			file_ids = excluded.file_ids, verified = excluded.verified, status = 'pending', updated_at = now()
		RETURNING id, status, answer, answered_at, helpful, created_at, updated_at`,
		tx.Company, r.Kind, r.Product, r.Person, r.Author, r.Rating, r.Text, r.Pros, r.Cons, r.Files, r.Verified).
		Scan(&r.ID, &r.Status, &r.Answer, &r.AnsweredAt, &r.Helpful, &r.CreatedAt, &r.UpdatedAt)
	if err == nil && len(r.Files) > 0 {
		_, err = tx.q.Exec(ctx, `UPDATE media_file SET remark_id = $3 WHERE company_id = $1 AND id = ANY($2)`, tx.Company, r.Files, r.ID)
	}
	if err == nil && previous != nil && previous.Status == "approved" {
		tx.hidePhotos(*previous)
		err = tx.rate(ctx, r.Product)
	}
	if err != nil {
		return err
	}
	return tx.queue(ctx, draftLetter{
		Name: string(r.Kind) + ToSeller, Object: r.ID.String() + "." + strconv.FormatInt(r.UpdatedAt.UnixMicro(), 36), Person: *r.Person,
		Facts: LetterFacts{Remark: r.ID}, Most: remarksAnHour,
	})
}

// holdBuyer reads and locks a person who submits something to a shop, before all other
// locks: the person cannot be deleted meanwhile, and concurrent submissions are counted one
// by one.
func (tx *Tx) holdBuyer(ctx context.Context, person shop.UserID) (name string, proven bool, err error) {
	err = tx.q.QueryRow(ctx, `SELECT name, proven_at IS NOT NULL FROM person WHERE id = $1 FOR NO KEY UPDATE`, person).Scan(&name, &proven)
	if noRow(err) {
		err = shop.ErrNotFound
	}
	return name, proven, err
}

// vouch determines the author of a remark, and refuses it when too many wait. The limit
// shared by unverified people does not apply to those who verified an address or bought the
// product.
func (tx *Tx) vouch(ctx context.Context, r *Remark) error {
	name, proven, err := tx.holdBuyer(ctx, *r.Person)
	if err != nil {
		return err
	}
	var questions int
	err = tx.q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM shop_order o JOIN order_line l ON l.company_id = o.company_id AND l.order_id = o.id
				WHERE o.company_id = $1 AND o.person_id = $2 AND o.status <> 'cancelled' AND l.product_id = $3),
			(SELECT count(*) FROM remark WHERE company_id = $1 AND person_id = $2 AND product_id = $3 AND kind = 'question' AND status = 'pending')`,
		tx.Company, r.Person, r.Product).Scan(&r.Verified, &questions)
	if err != nil {
		return err
	}
	if r.Kind == Question && questions >= questionsWaiting {
		return ErrQuestionsWaiting
	}
	if r.Author == "" {
		r.Author = shop.ShownName(name)
	}
	if proven || r.Verified {
		return nil
	}
	var waiting int
	err = tx.q.QueryRow(ctx, `
		SELECT count(*) FROM (SELECT FROM remark r LEFT JOIN person p ON p.id = r.person_id
			WHERE r.company_id = $1 AND r.kind = $2 AND r.status = 'pending' AND NOT r.verified AND p.proven_at IS NULL LIMIT $3) w`,
		tx.Company, r.Kind, unvouchedWaiting).Scan(&waiting)
	if err == nil && waiting >= unvouchedWaiting {
		err = ErrRemarksWaiting
	}
	return err
}

// locked returns the one remark that a query locks; nil if there is none.
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

// LockRemark reads and locks a remark.
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

// RemarkOf reads one remark.
func (r Reader) RemarkOf(ctx context.Context, kind RemarkKind, id shop.RemarkID) (Remark, error) {
	return r.remark(ctx, kind, `id = $3`, id)
}

// RemarkCompany returns the shop of a remark.
func (s *Store) RemarkCompany(ctx context.Context, kind RemarkKind, id shop.RemarkID) (company shop.CompanyID, err error) {
	err = s.pool.QueryRow(ctx, `SELECT company_id FROM remark WHERE id = $1 AND kind = $2`, id, kind).Scan(&company)
	if noRow(err) {
		return 0, kind.NotFound()
	}
	return company, err
}

// ReviewOf reads a person's review of a product.
func (r Reader) ReviewOf(ctx context.Context, product shop.ProductID, person shop.UserID) (Remark, error) {
	return r.remark(ctx, Review, `product_id = $3 AND person_id = $4`, product, person)
}

func (r Reader) remark(ctx context.Context, kind RemarkKind, condition string, args ...any) (Remark, error) {
	rows, err := r.q.Query(ctx, `SELECT `+remarkColumns+` FROM remark WHERE company_id = $1 AND kind = $2 AND `+condition, append([]any{r.Company, kind}, args...)...)
	if err != nil {
		return Remark{}, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Remark])
	if noRow(err) {
		err = kind.NotFound()
	}
	return found, err
}

// Moderate stores the shop's decision about a locked remark, and its answer. An approved
// review emits review.created; the rating of its product is recomputed.
func (tx *Tx) Moderate(ctx context.Context, r *Remark, status string, answer *string, by shop.UserID) error {
	oldStatus := r.Status
	err := tx.q.QueryRow(ctx, `
		UPDATE remark SET status = $3, moderated_by = $5, updated_at = now(),
			answered_at = CASE WHEN $4::text IS NULL OR $4 = answer THEN answered_at WHEN $4 <> '' THEN now() END, answer = coalesce($4, answer)
		WHERE company_id = $1 AND id = $2 RETURNING status, answer, answered_at, updated_at`,
		tx.Company, r.ID, status, answer, by).Scan(&r.Status, &r.Answer, &r.AnsweredAt, &r.UpdatedAt)
	if err != nil {
		return err
	}
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(r.Product)})
	if status != "approved" {
		tx.hidePhotos(Remark{Files: r.Files, Status: oldStatus})
	}
	if err := tx.tellAnswer(ctx, r); err != nil {
		return err
	}
	if r.Kind != Review || oldStatus == status || oldStatus != "approved" && status != "approved" {
		return nil
	}
	if err := tx.rate(ctx, r.Product); err != nil || status != "approved" {
		return err
	}
	return tx.RecordEvent(ctx, "review.created", map[string]any{"review_id": r.ID, "company_id": tx.Company, "rating": *r.Rating, "product_id": r.Product})
}

// dropRemark deletes a locked remark with its pictures.
func (tx *Tx) dropRemark(ctx context.Context, r Remark) error {
	if err := tx.dropPhotos(ctx, `remark_id = $2`, r.ID); err != nil {
		return err
	}
	if _, err := tx.q.Exec(ctx, `DELETE FROM remark WHERE company_id = $1 AND id = $2`, tx.Company, r.ID); err != nil || r.Status != "approved" {
		return err
	}
	tx.hidePhotos(r)
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(r.Product)})
	if r.Kind != Review {
		return nil
	}
	return tx.rate(ctx, r.Product)
}

// tellAnswer queues the letter about the answer to an approved question, once, if the
// person verified an address.
func (tx *Tx) tellAnswer(ctx context.Context, r *Remark) error {
	if r.Kind != Question || r.Status != "approved" || r.Answer == "" || r.Person == nil {
		return nil
	}
	var to string
	err := tx.q.QueryRow(ctx, `SELECT email FROM person WHERE id = $1 AND proven_at IS NOT NULL`, r.Person).Scan(&to)
	if noRow(err) || err == nil && to == "" {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.queue(ctx, draftLetter{
		Name: string(Question) + ToBuyer, Object: r.ID.String(), Person: *r.Person, To: to, Facts: LetterFacts{Remark: r.ID},
	})
}

// rate recomputes the rating of a product.
func (tx *Tx) rate(ctx context.Context, product shop.ProductID) error {
	if _, err := tx.q.Exec(ctx, `SELECT FROM product WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE`, tx.Company, product); err != nil {
		return err
	}
	// A separate statement, which sees the ratings committed while it waited for the lock.
	_, err := tx.q.Exec(ctx, `
		UPDATE product SET rating = c.rating, rating_count = c.n
		FROM (SELECT coalesce(round(avg(rating), 2), 0)::double precision AS rating, count(*) AS n FROM remark
			WHERE company_id = $1 AND product_id = $2 AND kind = 'review' AND status = 'approved') c
		WHERE company_id = $1 AND id = $2`, tx.Company, product)
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(product)}, shop.Key{Kind: shop.KeyProducts})
	return err
}

// Helpful records that a person found an approved remark helpful, once, and returns the
// number of such votes and whether this one counted. The page is rendered again later, for
// all votes of some minutes (ShowVotes).
func (tx *Tx) Helpful(ctx context.Context, kind RemarkKind, id shop.RemarkID, person shop.UserID) (n int, counted bool, err error) {
	if _, err := tx.q.Exec(ctx, `SELECT FROM person WHERE id = $1 FOR KEY SHARE`, person); err != nil {
		return 0, false, err
	}
	r, err := tx.LockRemark(ctx, kind, id)
	if err == nil && r.Status != "approved" {
		err = kind.NotFound()
	}
	if err == nil {
		var shown bool
		if shown, err = tx.Remarked(ctx, kind, r.Product); err == nil && !shown || errors.Is(err, ErrProductNotFound) {
			err = kind.NotFound()
		}
	}
	if err != nil {
		return 0, false, err
	}
	if r.Person != nil && *r.Person == person {
		return r.Helpful, false, nil // a vote for one's own remark does not count
	}
	tag, err := tx.q.Exec(ctx, `
		INSERT INTO remark_vote (company_id, remark_id, person_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, tx.Company, id, person)
	if err != nil || tag.RowsAffected() == 0 {
		return r.Helpful, false, err
	}
	_, err = tx.q.Exec(ctx, `UPDATE remark SET helpful = helpful + 1 WHERE company_id = $1 AND id = $2`, tx.Company, id)
	return r.Helpful + 1, true, err
}

// VotesMoved returns the shops with pages that show outdated vote counts.
func (s *Store) VotesMoved(ctx context.Context) ([]shop.CompanyID, error) {
	rows, err := s.pool.Query(ctx, `SELECT DISTINCT company_id FROM remark WHERE helpful <> helpful_shown ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
}

// ShowVotes causes the shop's pages with outdated vote counts to be rendered again.
func (tx *Tx) ShowVotes(ctx context.Context) error {
	rows, err := tx.q.Query(ctx, `
		UPDATE remark SET helpful_shown = helpful WHERE company_id = $1 AND helpful <> helpful_shown RETURNING product_id`, tx.Company)
	if err != nil {
		return err
	}
	products, err := pgx.CollectRows(rows, pgx.RowTo[shop.ProductID])
	for _, id := range products {
		tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(id)})
	}
	return err
}

// remarkOrders are the SQL sort orders of a product's remarks.
var remarkOrders = map[string]string{"": "id DESC", "newest": "id DESC", "rating": "rating DESC, id DESC", "helpful": "helpful DESC, id DESC"}

// RemarkSorts are the sort orders of a product's remarks.
var RemarkSorts = []string{"newest", "rating", "helpful"}

// RemarkFilter restricts a list of remarks.
type RemarkFilter struct {
	Kind    RemarkKind
	Product shop.ProductID // 0: any
	Status  string         // empty: any
	Sort    string         // one of RemarkSorts; empty: newest
}

// Remarks returns one page of remarks, and their total.
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

// Stars returns how many approved reviews of a product have one star to five.
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
