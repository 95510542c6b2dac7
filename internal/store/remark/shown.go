package remark

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ShownOnPage is how many reviews, and how many questions, one page of a product shows.
const ShownOnPage = 10

// photosOnPage is how many reviews contribute pictures, shown after the product's own.
const photosOnPage = 10

// Query selects the reviews and questions that a product page shows.
type Query struct {
	Sort      string // of reviews, one of RemarkSorts; empty: helpful
	Reviews   int    // the page of reviews, from 1; 0: none
	Questions int
}

// RemarksShown are the reviews and questions that a product page shows.
type RemarksShown struct {
	Reviews      []Remark
	Questions    []Remark
	Stars        [5]int   // number of reviews with one star to five, on all pages
	AllQuestions int      // on all pages
	Pictured     []Remark // the most helpful reviews with pictures
}

// Shown reads them in one query.
func Shown(ctx context.Context, r store.Reader, product shop.ProductID, asked Query) (out RemarksShown, err error) {
	if asked.Sort == "" {
		asked.Sort = "helpful"
	}
	const approved = ` FROM remark WHERE company_id = $1 AND product_id = $2 AND status = 'approved' AND kind = `
	rows, err := r.DB.Query(ctx, `
		(SELECT 1, ARRAY[count(*) FILTER (WHERE rating = 1) OVER (), count(*) FILTER (WHERE rating = 2) OVER (),
			count(*) FILTER (WHERE rating = 3) OVER (), count(*) FILTER (WHERE rating = 4) OVER (), count(*) FILTER (WHERE rating = 5) OVER ()], `+
		Columns+approved+`'review' AND $4 > 0 ORDER BY `+remarkOrders[asked.Sort]+` LIMIT $3 OFFSET greatest($4 - 1, 0) * $3)
		UNION ALL
		(SELECT 2, ARRAY[count(*) OVER ()], `+Columns+approved+`'question' AND $5 > 0 ORDER BY id DESC LIMIT $3 OFFSET greatest($5 - 1, 0) * $3)
		UNION ALL
		(SELECT 3, '{}', `+Columns+approved+`'review' AND $4 > 0 AND file_ids <> '{}' ORDER BY helpful DESC, id DESC LIMIT $6)`,
		r.Company, product, ShownOnPage, asked.Reviews, asked.Questions, photosOnPage)
	if err != nil {
		return out, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct {
		Part   int
		Counts []int
		Remark
	}])
	for _, one := range found {
		switch one.Part {
		case 1:
			copy(out.Stars[:], one.Counts)
			out.Reviews = append(out.Reviews, one.Remark)
		case 2:
			out.AllQuestions = one.Counts[0]
			out.Questions = append(out.Questions, one.Remark)
		default:
			out.Pictured = append(out.Pictured, one.Remark)
		}
	}
	return out, err
}
