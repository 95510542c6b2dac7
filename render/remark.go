package render

import (
	"math"
	"strconv"
	"strings"
	"time"
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
	Reviews   []Remark
	Stars     [5]int // reviews with one star to five
	Questions []Remark
}

// Remark is a review or a question.
type Remark struct {
	Author   string // empty: somebody
	Rating   int    // of a review, 1 to 5
	Text     string
	Pros     string
	Cons     string
	Verified bool // the author bought the product
	Answer   string
	Written  time.Time
}

// Halves is the rating in half stars.
func (r Remark) Halves() int { return 2 * r.Rating }

// bar is how many reviews of a product have so many stars.
type bar struct{ Stars, Count int }

// answer is what the shop says to a remark, under its title.
type answer struct{ Title, Answer string }

// Answered is the answer to a remark.
func (v *view) Answered(r Remark) answer { return answer{v.T.Remark.Answer, r.Answer} }

// Bars are the reviews by their stars, the best first.
func (r Remarks) Bars() []bar {
	bars := make([]bar, len(r.Stars))
	for i := range bars {
		stars := len(r.Stars) - i
		bars[i] = bar{stars, r.Stars[stars-1]}
	}
	return bars
}

// remarkWords are the texts about reviews and questions, in one language.
type remarkWords struct {
	Reviews, Questions, Verified, Pros, Cons, Answer, Somebody string

	of      func(stars string) string
	reviews func(n int) string
}

// Of says how many stars of five.
func (w remarkWords) Of(stars string) string { return w.of(stars) }

// Count says how many reviews.
func (w remarkWords) Count(n int) string { return w.reviews(n) }

var englishRemarks = remarkWords{
	Reviews: "Reviews", Questions: "Questions", Verified: "Bought here", Pros: "Good", Cons: "Less good", Answer: "Answer of the shop", Somebody: "A buyer",
	of: func(stars string) string { return stars + " of 5 stars" },
	reviews: func(n int) string {
		if n == 1 {
			return "1 review"
		}
		return strconv.Itoa(n) + " reviews"
	},
}

var russianRemarks = remarkWords{
	Reviews: "Отзывы", Questions: "Вопросы", Verified: "Покупка подтверждена", Pros: "Достоинства", Cons: "Недостатки", Answer: "Ответ магазина", Somebody: "Покупатель",
	of: func(stars string) string { return strings.Replace(stars, ".", ",", 1) + " из 5 звёзд" },
	reviews: func(n int) string {
		number := strconv.Itoa(n)
		switch {
		case n%10 == 1 && n%100 != 11:
			return number + " отзыв"
		case n%10 >= 2 && n%10 <= 4 && (n%100 < 12 || n%100 > 14):
			return number + " отзыва"
		}
		return number + " отзывов"
	},
}
