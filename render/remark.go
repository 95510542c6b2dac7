package render

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"vitrine/internal/shop"
)

// Rating is the average rating of a product. The zero value means no rating.
type Rating struct {
	Stars float64 // 1 to 5
	Count int     // of approved reviews
}

// Halves is the rating in half stars, 0 to 10, as drawn.
func (r Rating) Halves() int { return int(math.Round(r.Stars * 2)) }

// Number is the rating with one decimal: 4.5.
func (r Rating) Number() string { return strconv.FormatFloat(r.Stars, 'f', 1, 64) }

// Remarks are the reviews and questions shown on a product's page.
type Remarks struct {
	Product        shop.ProductID
	TakesReviews   bool
	TakesQuestions bool
	Asked          RemarksQuery
	Reviews        []Remark
	Stars          [5]int // reviews with one to five stars
	ReviewPages    int
	Questions      []Remark
	QuestionPages  int
}

// RemarksQuery is the selection of reviews and questions in the address. The zero value is
// the first page of both, with the most helpful reviews first.
type RemarksQuery struct {
	Sort      string // one of RemarkSorts; empty: the first of them
	Reviews   int    // page of reviews, from 2; 0: the first
	Questions int    // page of questions, likewise
}

// RemarkSorts are the orders of reviews.
var RemarkSorts = []string{"helpful", "newest", "rating"}

// Query parameters of a product's page, and the last page they may ask for.
const (
	RemarkSort      = "sort"
	RemarkReviews   = "reviews"
	RemarkQuestions = "questions"
	MaxRemarkPage   = 1000
)

// Remark is a review or a question.
type Remark struct {
	ID       shop.RemarkID
	Author   string // empty: anonymous
	Rating   int    // of a review, 1 to 5
	Text     string
	Pros     string
	Cons     string
	Photos   []Image
	Verified bool // the author bought the product
	Answer   string
	Written  time.Time
	Helpful  int
}

// Halves is the rating in half stars.
func (r Remark) Halves() int { return 2 * r.Rating }

// bar is the number of reviews with a number of stars.
type bar struct{ Stars, Count int }

// Bars lists the reviews by stars, most stars first.
func (r Remarks) Bars() []bar {
	bars := make([]bar, len(r.Stars))
	for i := range bars {
		stars := len(r.Stars) - i
		bars[i] = bar{stars, r.Stars[stars-1]}
	}
	return bars
}

// Several reports whether there is more than one review, so that sorting makes sense.
func (r Remarks) Several() bool { return len(r.Reviews) > 1 || r.ReviewPages > 1 }

// answer is the shop's answer to a remark, with its title.
type answer struct{ Title, Answer string }

// Answered is the answer to a remark.
func (v *view) Answered(r Remark) answer { return answer{v.T.Remark.Answer, r.Answer} }

// remarkView is the data of a review's template.
type remarkView struct {
	*view
	Remark
}

// ReviewView combines a review with the view of its page.
func (v *view) ReviewView(r Remark) remarkView { return remarkView{v, r} }

// Photo is a picture of the review, with its number in the alternative text.
func (r remarkView) Photo(i int, image Image) Image {
	image.Alt = r.T.Remark.PhotoOf(i+1, cmp.Or(r.Author, r.T.Remark.Somebody))
	return image
}

// Vote is the address to mark the review as helpful.
func (r remarkView) Vote() string { return shop.HelpfulPrefix + r.ID.String() }

// sortLink is the link to an order of reviews.
type sortLink struct {
	Name, Path string
	Current    bool
}

// RemarkOrders lists the possible orders of the page's reviews.
func (v *view) RemarkOrders() (links []sortLink) {
	asked := v.Page.(*ProductPage).Remarks.Asked
	for _, sort := range RemarkSorts {
		to := RemarksQuery{Sort: sort}
		links = append(links, sortLink{v.T.Remark.sorts[sort], v.Path + to.query() + "#" + RemarkReviews, sort == cmp.Or(asked.Sort, RemarkSorts[0])})
	}
	return links
}

// query is the query string that selects remarks.
func (a RemarksQuery) query() string {
	query := ""
	add := func(name, value string) {
		if query == "" {
			query = "?"
		} else {
			query += "&"
		}
		query += name + "=" + value
	}
	if slices.Index(RemarkSorts, a.Sort) > 0 && a.Questions == 0 {
		add(RemarkSort, a.Sort)
	}
	if a.Reviews > 1 {
		add(RemarkReviews, strconv.Itoa(a.Reviews))
	}
	if a.Questions > 1 {
		add(RemarkQuestions, strconv.Itoa(a.Questions))
	}
	return query
}

// pager links to the neighbours of a page of remarks.
type pager struct {
	Prev, Next string // empty: none
	T          *words
}

// Before is the pager above the list, with the link to the previous page; After is the one
// below.
func (p pager) Before() pager { return pager{Prev: p.Prev, T: p.T} }

// After is described at Before.
func (p pager) After() pager { return pager{Next: p.Next, T: p.T} }

// ReviewPager and QuestionPager link the pages of reviews and of questions.
func (v *view) ReviewPager() pager {
	r := v.Page.(*ProductPage).Remarks
	return v.pager(r.Asked.Reviews, r.ReviewPages, RemarkReviews, func(n int) RemarksQuery { return RemarksQuery{Sort: r.Asked.Sort, Reviews: n} })
}

func (v *view) QuestionPager() pager {
	r := v.Page.(*ProductPage).Remarks
	return v.pager(r.Asked.Questions, r.QuestionPages, RemarkQuestions, func(n int) RemarksQuery { return RemarksQuery{Questions: n} })
}

func (v *view) pager(at, pages int, anchor string, ask func(n int) RemarksQuery) (p pager) {
	at, p.T = max(at, 1), v.T
	if at > 1 {
		p.Prev = v.Path + ask(at-1).query() + "#" + anchor
	}
	if at < pages {
		p.Next = v.Path + ask(at+1).query() + "#" + anchor
	}
	return p
}
