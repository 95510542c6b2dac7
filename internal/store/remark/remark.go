package remark

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
)

// Refusals of remarks.
var (
	ErrReviewNotFound   = shop.Refuse(shop.NotFound, "REVIEW_NOT_FOUND").When("the shop has no review with this id that the caller may see")
	ErrQuestionNotFound = shop.Refuse(shop.NotFound, "QUESTION_NOT_FOUND").When("the shop has no question with this id that the caller may see")
	ErrDisabled         = shop.Refuse(shop.FailedPrecondition, "COMMENTS_DISABLED").When("the product, or the shop, accepts no reviews or questions")
	ErrWaiting          = shop.Refuse(shop.ResourceExhausted, "REMARKS_WAITING").When("1,000 unverified reviews or questions already wait for moderation; people who verified an e-mail address or bought the product can still write")
	ErrQuestionsWaiting = shop.Refuse(shop.ResourceExhausted, "QUESTIONS_WAITING").When("5 questions of the person about the product already wait for moderation")
)

// Kind distinguishes reviews from questions.
type Kind string

// The kinds of remarks.
const (
	Review   Kind = "review"
	Question Kind = "question"
)

// NotFound returns the refusal for a missing remark.
func (k Kind) NotFound() *shop.Refusal {
	if k == Review {
		return ErrReviewNotFound
	}
	return ErrQuestionNotFound
}

// Remark is what a person writes about a product: a review with a rating, or a question.
type Remark struct {
	ID         shop.RemarkID
	Kind       Kind
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

// Columns are the columns of a Remark, in the order of its fields.
const Columns = `id, kind, product_id, person_id, author, rating, text, pros, cons, file_ids, verified, status, answer, answered_at,
	helpful, created_at, updated_at`

// AcceptsRemarks reports whether a product accepts remarks of a kind. The product's own setting
// overrides the shop's.
func AcceptsRemarks(ctx context.Context, r store.Reader, kind Kind, product shop.ProductID) (open bool, err error) {
	column, shopDefault := "comments_enabled", func(s company.Settings) bool { return s.Comments }
	if kind == Question {
		column, shopDefault = "questions_enabled", func(s company.Settings) bool { return s.Questions }
	}
	var own string
	s := &store.Statement{Args: []any{r.Company}}
	s.Add(`SELECT p.`+column+` FROM product p WHERE p.company_id = $1 AND p.id = ? AND p.is_published AND p.deleted_at IS NULL`, product)
	catalog.HideProducts(r, s)
	err = r.DB.QueryRow(ctx, s.String(), s.Args...).Scan(&own)
	switch {
	case store.NoRow(err):
		return false, catalog.ErrProductNotFound
	case err != nil || own != "":
		return own == "true", err
	}
	settings, err := company.GetSettings(ctx, r)
	return shopDefault(settings), err
}

// Limits of remarks that wait for moderation, so that one person cannot flood the queue.
const (
	maxWaitingQuestions    = 5    // of one person about one product
	maxWaitingUnverified   = 1000 // in one shop, of all people who neither verified an address nor bought the product
	maxRemarkLettersAnHour = 20   // letters to the seller about either kind
)

// Add stores a remark, with the letter to the seller. A person has one review per
// product: a second one replaces it and waits for moderation again. Files are pictures that
// the person has uploaded for it; others return ErrFileNotFound.
func Add(ctx context.Context, tx *store.Tx, r *Remark) error {
	if err := verifyAuthor(ctx, tx, r); err != nil {
		return err
	}
	previous, err := lockRemark(ctx, tx, `SELECT `+Columns+` FROM remark
		WHERE company_id = $1 AND kind = 'review' AND $2 = 'review' AND product_id = $3 AND person_id = $4 FOR UPDATE`, r.Kind, r.Product, r.Person)
	if err == nil {
		err = attachPhotos(ctx, tx, r, previous)
	}
	if err != nil {
		return err
	}
	err = tx.DB.QueryRow(ctx, `
		INSERT INTO remark (company_id, kind, product_id, person_id, author, rating, text, pros, cons, file_ids, verified)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (company_id, product_id, person_id) WHERE kind = 'review' AND person_id IS NOT NULL DO UPDATE SET
			author = excluded.author, rating = excluded.rating, text = excluded.text, pros = excluded.pros, cons = excluded.cons,
			file_ids = excluded.file_ids, verified = excluded.verified, status = 'pending', updated_at = now()
		RETURNING id, status, answer, answered_at, helpful, created_at, updated_at`,
		tx.Company, r.Kind, r.Product, r.Person, r.Author, r.Rating, r.Text, r.Pros, r.Cons, r.Files, r.Verified).
		Scan(&r.ID, &r.Status, &r.Answer, &r.AnsweredAt, &r.Helpful, &r.CreatedAt, &r.UpdatedAt)
	if err == nil && len(r.Files) > 0 {
		_, err = tx.DB.Exec(ctx, `UPDATE media_file SET remark_id = $3 WHERE company_id = $1 AND id = ANY($2)`, tx.Company, r.Files, r.ID)
	}
	if err == nil && previous != nil && previous.Status == "approved" {
		hidePhotos(tx, *previous)
		err = updateRating(ctx, tx, r.Product)
	}
	if err != nil {
		return err
	}
	return tx.RecordLetters(ctx, store.NewLetter{
		Name: string(r.Kind) + store.ToSeller, Object: r.ID.String() + "." + strconv.FormatInt(r.UpdatedAt.UnixMicro(), 36), Person: *r.Person,
		Facts: store.LetterData{Remark: r.ID}, Most: maxRemarkLettersAnHour,
	})
}

// lockBuyer reads and locks a person who submits something to a shop, before all other
// locks: the person cannot be deleted meanwhile, and concurrent submissions are counted one
// by one.
func lockBuyer(ctx context.Context, tx *store.Tx, person shop.UserID) (name string, proven bool, err error) {
	err = tx.DB.QueryRow(ctx, `SELECT name, proven_at IS NOT NULL FROM person WHERE id = $1 FOR NO KEY UPDATE`, person).Scan(&name, &proven)
	if store.NoRow(err) {
		err = shop.ErrNotFound
	}
	return name, proven, err
}

// verifyAuthor determines the author of a remark, and refuses it when too many wait. The limit
// shared by unverified people does not apply to those who verified an address or bought the
// product.
func verifyAuthor(ctx context.Context, tx *store.Tx, r *Remark) error {
	name, proven, err := lockBuyer(ctx, tx, *r.Person)
	if err != nil {
		return err
	}
	var questions int
	err = tx.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM shop_order o JOIN order_line l ON l.company_id = o.company_id AND l.order_id = o.id
				WHERE o.company_id = $1 AND o.person_id = $2 AND o.status <> 'cancelled' AND l.product_id = $3),
			(SELECT count(*) FROM remark WHERE company_id = $1 AND person_id = $2 AND product_id = $3 AND kind = 'question' AND status = 'pending')`,
		tx.Company, r.Person, r.Product).Scan(&r.Verified, &questions)
	if err != nil {
		return err
	}
	if r.Kind == Question && questions >= maxWaitingQuestions {
		return ErrQuestionsWaiting
	}
	if r.Author == "" {
		r.Author = shop.PublicName(name)
	}
	if proven || r.Verified {
		return nil
	}
	var waiting int
	err = tx.DB.QueryRow(ctx, `
		SELECT count(*) FROM (SELECT FROM remark r LEFT JOIN person p ON p.id = r.person_id
			WHERE r.company_id = $1 AND r.kind = $2 AND r.status = 'pending' AND NOT r.verified AND p.proven_at IS NULL LIMIT $3) w`,
		tx.Company, r.Kind, maxWaitingUnverified).Scan(&waiting)
	if err == nil && waiting >= maxWaitingUnverified {
		err = ErrWaiting
	}
	return err
}

// lockRemark returns the one remark that a query locks; nil if there is none.
func lockRemark(ctx context.Context, tx *store.Tx, query string, args ...any) (*Remark, error) {
	rows, err := tx.DB.Query(ctx, query, append([]any{tx.Company}, args...)...)
	if err != nil {
		return nil, err
	}
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[Remark])
	if store.NoRow(err) {
		return nil, nil
	}
	return r, err
}

// Lock reads and locks a remark.
func Lock(ctx context.Context, tx *store.Tx, kind Kind, id shop.RemarkID) (r Remark, err error) {
	found, err := lockRemark(ctx, tx, `SELECT `+Columns+` FROM remark WHERE company_id = $1 AND kind = $2 AND id = $3 FOR UPDATE`, kind, id)
	if err == nil && found == nil {
		err = kind.NotFound()
	}
	if err != nil {
		return r, err
	}
	return *found, nil
}

// Get reads one remark.
func Get(ctx context.Context, r store.Reader, kind Kind, id shop.RemarkID) (Remark, error) {
	return remark(ctx, r, kind, `id = $3`, id)
}

// Company returns the shop of a remark. If several shops have one with the id, the caller must name the
// shop.
func Company(ctx context.Context, s *store.Store, kind Kind, id shop.RemarkID) (company shop.CompanyID, err error) {
	company, err = s.OnlyShop(ctx, `SELECT company_id FROM remark WHERE id = $1 AND kind = $2 AND `+store.LiveShop("company_id")+` LIMIT 2`, id, kind)
	if err == nil && company == 0 {
		err = kind.NotFound()
	}
	return company, err
}

// ReviewOf reads a person's review of a product.
func ReviewOf(ctx context.Context, r store.Reader, product shop.ProductID, person shop.UserID) (Remark, error) {
	return remark(ctx, r, Review, `product_id = $3 AND person_id = $4`, product, person)
}

func remark(ctx context.Context, r store.Reader, kind Kind, condition string, args ...any) (Remark, error) {
	rows, err := r.DB.Query(ctx, `SELECT `+Columns+` FROM remark WHERE company_id = $1 AND kind = $2 AND `+condition, append([]any{r.Company, kind}, args...)...)
	if err != nil {
		return Remark{}, err
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Remark])
	if store.NoRow(err) {
		err = kind.NotFound()
	}
	return found, err
}

// Moderate stores the shop's decision about a locked remark, and its answer. An approved
// review emits review.created; the rating of its product is recomputed.
func Moderate(ctx context.Context, tx *store.Tx, r *Remark, status string, answer *string, by shop.UserID) error {
	oldStatus := r.Status
	err := tx.DB.QueryRow(ctx, `
		UPDATE remark SET status = $3, moderated_by = $5, updated_at = now(),
			answered_at = CASE WHEN $4::text IS NULL OR $4 = answer THEN answered_at WHEN $4 <> '' THEN now() END, answer = coalesce($4, answer)
		WHERE company_id = $1 AND id = $2 RETURNING status, answer, answered_at, updated_at`,
		tx.Company, r.ID, status, answer, by).Scan(&r.Status, &r.Answer, &r.AnsweredAt, &r.UpdatedAt)
	if err != nil {
		return err
	}
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(r.Product)})
	if status != "approved" {
		hidePhotos(tx, Remark{Files: r.Files, Status: oldStatus})
	}
	if err := queueAnswerLetter(ctx, tx, r); err != nil {
		return err
	}
	if r.Kind != Review || oldStatus == status || oldStatus != "approved" && status != "approved" {
		return nil
	}
	if err := updateRating(ctx, tx, r.Product); err != nil || status != "approved" {
		return err
	}
	return tx.RecordEvent(ctx, "review.created", map[string]any{"review_id": r.ID, "company_id": tx.Company, "rating": *r.Rating, "product_id": r.Product})
}

// Drop deletes a locked remark with its pictures.
func Drop(ctx context.Context, tx *store.Tx, r Remark) error {
	if err := DeletePhotos(ctx, tx, `remark_id = $2`, r.ID); err != nil {
		return err
	}
	if _, err := tx.DB.Exec(ctx, `DELETE FROM remark WHERE company_id = $1 AND id = $2`, tx.Company, r.ID); err != nil || r.Status != "approved" {
		return err
	}
	hidePhotos(tx, r)
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(r.Product)})
	if r.Kind != Review {
		return nil
	}
	return updateRating(ctx, tx, r.Product)
}

// queueAnswerLetter queues the letter about the answer to an approved question, once, if the
// person verified an address.
func queueAnswerLetter(ctx context.Context, tx *store.Tx, r *Remark) error {
	if r.Kind != Question || r.Status != "approved" || r.Answer == "" || r.Person == nil {
		return nil
	}
	var to string
	err := tx.DB.QueryRow(ctx, `SELECT email FROM person WHERE id = $1 AND proven_at IS NOT NULL`, r.Person).Scan(&to)
	if store.NoRow(err) || err == nil && to == "" {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.RecordLetters(ctx, store.NewLetter{
		Name: string(Question) + store.ToBuyer, Object: r.ID.String(), Person: *r.Person, To: to, Facts: store.LetterData{Remark: r.ID},
	})
}

// updateRating recomputes the rating of a product.
func updateRating(ctx context.Context, tx *store.Tx, product shop.ProductID) error {
	if _, err := tx.DB.Exec(ctx, `SELECT FROM product WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE`, tx.Company, product); err != nil {
		return err
	}
	// A separate statement, which sees the ratings committed while it waited for the lock.
	_, err := tx.DB.Exec(ctx, `
		UPDATE product SET rating = c.rating, rating_count = c.n
		FROM (SELECT coalesce(round(avg(rating), 2), 0)::double precision AS rating, count(*) AS n FROM remark
			WHERE company_id = $1 AND product_id = $2 AND kind = 'review' AND status = 'approved') c
		WHERE company_id = $1 AND id = $2`, tx.Company, product)
	tx.Changed(shop.Key{Kind: shop.KeyProduct, ID: int64(product)}, shop.Key{Kind: shop.KeyProducts})
	return err
}

// VoteHelpful records that a person found an approved remark helpful, once, and returns the
// number of such votes and whether this one counted. The page is rendered again later, for
// all votes of some minutes (RefreshVotes).
func VoteHelpful(ctx context.Context, tx *store.Tx, kind Kind, id shop.RemarkID, person shop.UserID) (n int, counted bool, err error) {
	if _, err := tx.DB.Exec(ctx, `SELECT FROM person WHERE id = $1 FOR KEY SHARE`, person); err != nil {
		return 0, false, err
	}
	r, err := Lock(ctx, tx, kind, id)
	if err == nil && r.Status != "approved" {
		err = kind.NotFound()
	}
	if err == nil {
		var shown bool
		if shown, err = AcceptsRemarks(ctx, tx.Reader, kind, r.Product); err == nil && !shown || errors.Is(err, catalog.ErrProductNotFound) {
			err = kind.NotFound()
		}
	}
	if err != nil {
		return 0, false, err
	}
	if r.Person != nil && *r.Person == person {
		return r.Helpful, false, nil // a vote for one's own remark does not count
	}
	tag, err := tx.DB.Exec(ctx, `
		INSERT INTO remark_vote (company_id, remark_id, person_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, tx.Company, id, person)
	if err != nil || tag.RowsAffected() == 0 {
		return r.Helpful, false, err
	}
	_, err = tx.DB.Exec(ctx, `UPDATE remark SET helpful = helpful + 1 WHERE company_id = $1 AND id = $2`, tx.Company, id)
	return r.Helpful + 1, true, err
}

// ShopsWithNewVotes returns the shops with pages that show outdated vote counts.
func ShopsWithNewVotes(ctx context.Context, s *store.Store) ([]shop.CompanyID, error) {
	rows, err := s.Pool.Query(ctx, `SELECT DISTINCT company_id FROM remark WHERE helpful <> helpful_shown AND `+store.NotMoving("company_id")+` ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
}

// RefreshVotes causes the shop's pages with outdated vote counts to be rendered again.
func RefreshVotes(ctx context.Context, tx *store.Tx) error {
	rows, err := tx.DB.Query(ctx, `
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

// Sorts are the sort orders of a product's remarks.
var Sorts = []string{"newest", "rating", "helpful"}

// Filter restricts a list of remarks.
type Filter struct {
	Kind    Kind
	Product shop.ProductID // 0: any
	Status  string         // empty: any
	Sort    string         // one of RemarkSorts; empty: newest
}

// List returns one page of remarks, and their total.
func List(ctx context.Context, r store.Reader, f Filter, limit, offset int) (list []Remark, total int, err error) {
	const where = ` FROM remark WHERE company_id = $1 AND kind = $2 AND ($3::integer = 0 OR product_id = $3) AND ($4::text = '' OR status = $4)`
	args := []any{r.Company, f.Kind, f.Product, f.Status}
	if err = r.DB.QueryRow(ctx, `SELECT count(*)`+where, args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := r.DB.Query(ctx, `SELECT `+Columns+where+` ORDER BY `+remarkOrders[f.Sort]+` LIMIT $5 OFFSET $6`, slices.Concat(args, []any{limit, offset})...)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Remark])
	return list, total, err
}

// Stars returns how many approved reviews of a product have one star to five.
func Stars(ctx context.Context, r store.Reader, product shop.ProductID) (stars [5]int, err error) {
	rows, err := r.DB.Query(ctx, `
		SELECT rating, count(*) FROM remark WHERE company_id = $1 AND product_id = $2 AND kind = 'review' AND status = 'approved' GROUP BY rating`, r.Company, product)
	if err != nil {
		return stars, err
	}
	var rating, n int
	_, err = pgx.ForEachRow(rows, []any{&rating, &n}, func() error { stars[rating-1] = n; return nil })
	return stars, err
}
