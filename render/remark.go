package render

import (
	"math"
	"slices"
	"strconv"
	"time"

	"vitrine/internal/shop"
)

// Rating is how buyers like a product. The zero value is none.
type Rating struct {
	Stars float64 // 1 to 5
	Count int     // of approved reviews
}

// Halves is the rating in half stars, 0 to 10, as it is drawn.
func (r Rating) Halves() int { return int(math.Round(r.Stars * 2)) }

// Number is the rating with one digit: 4.5.
func (r Rating) Number() string { return strconv.FormatFloat(r.Stars, 'f', 1, 64) }

// Remarks are what buyers say of a product, as far as its page shows it.
type Remarks struct {
	Product        shop.ProductID
	TakesReviews   bool
	TakesQuestions bool
	Asked          RemarksAsked
	Reviews        []Remark
	Stars          [5]int // reviews with one star to five
	ReviewPages    int
	Questions      []Remark
	QuestionPages  int
}

// RemarksAsked is which reviews and questions a visitor wants to see. The zero value
// is the first of both, the reviews that helped most.
type RemarksAsked struct {
	Sort      string // of RemarkSorts; empty: the first of them
	Reviews   int    // the page of them, from 2; 0: the first
	Questions int    // likewise
}

// RemarkSorts are the orders of reviews.
var RemarkSorts = []string{"helpful", "newest", "rating"}

// What the address of a product's page asks for, and the last page of it.
const (
	RemarkSort      = "sort"
	RemarkReviews   = "reviews"
	RemarkQuestions = "questions"
	MaxRemarkPage   = 1000
)

// Remark is a review or a question.
type Remark struct {
	ID       shop.RemarkID
	Author   string // empty: somebody
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

// bar is how many reviews of a product have so many stars.
type bar struct{ Stars, Count int }

// Bars are the reviews by their stars, the best first.
func (r Remarks) Bars() []bar {
	bars := make([]bar, len(r.Stars))
	for i := range bars {
		stars := len(r.Stars) - i
		bars[i] = bar{stars, r.Stars[stars-1]}
	}
	return bars
}

// Several reports whether there is more than one review, so that an order means
// something.
func (r Remarks) Several() bool { return len(r.Reviews) > 1 || r.ReviewPages > 1 }

// answer is what the shop says to a remark, under its title.
type answer struct{ Title, Answer string }

// Answered is the answer to a remark.
func (v *view) Answered(r Remark) answer { return answer{v.T.Remark.Answer, r.Answer} }

// remarkView is what the template of a review sees.
type remarkView struct {
	*view
	Remark
}

// Said is a review with the page that it stands on.
func (v *view) Said(r Remark) remarkView { return remarkView{v, r} }

// Photo is a picture of the review, told from the others by its number.
func (r remarkView) Photo(i int, image Image) Image {
	image.Alt = r.T.Remark.PhotoOf(i+1, orElse(r.Author, r.T.Remark.Somebody))
	return image
}

// Vote is where somebody says that the review helped.
func (r remarkView) Vote() string { return shop.HelpfulPrefix + r.ID.String() }

// sortLink is an order of reviews.
type sortLink struct {
	Name, Path string
	Current    bool
}

// RemarkOrders are the orders that the reviews of the page may have.
func (v *view) RemarkOrders() (links []sortLink) {
	asked := v.Page.(*ProductPage).Remarks.Asked
	for _, sort := range RemarkSorts {
		to := RemarksAsked{Sort: sort}
		links = append(links, sortLink{v.T.Remark.sorts[sort], v.Path + to.query() + "#" + RemarkReviews, sort == orElse(asked.Sort, RemarkSorts[0])})
	}
	return links
}

// query is the part of the address that asks for remarks.
func (a RemarksAsked) query() string {
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

// pager is the way to the neighbours of a page of remarks.
type pager struct {
	Prev, Next string // empty: none
	T          *words
}

// Before is the way back, which stands above the list; the way on stands below.
func (p pager) Before() pager { return pager{Prev: p.Prev, T: p.T} }

// After is the way on.
func (p pager) After() pager { return pager{Next: p.Next, T: p.T} }

// ReviewPager and QuestionPager turn the pages of either.
func (v *view) ReviewPager() pager {
	r := v.Page.(*ProductPage).Remarks
	return v.pager(r.Asked.Reviews, r.ReviewPages, RemarkReviews, func(n int) RemarksAsked { return RemarksAsked{Sort: r.Asked.Sort, Reviews: n} })
}

func (v *view) QuestionPager() pager {
	r := v.Page.(*ProductPage).Remarks
	return v.pager(r.Asked.Questions, r.QuestionPages, RemarkQuestions, func(n int) RemarksAsked { return RemarksAsked{Questions: n} })
}

func (v *view) pager(at, pages int, anchor string, ask func(n int) RemarksAsked) (p pager) {
	at, p.T = max(at, 1), v.T
	if at > 1 {
		p.Prev = v.Path + ask(at-1).query() + "#" + anchor
	}
	if at < pages {
		p.Next = v.Path + ask(at+1).query() + "#" + anchor
	}
	return p
}
