package render

import (
	"fmt"

	"vitrine/internal/shop"
)

// RemarkPage is where a visitor says something of a product, on a page of its own: it
// works without a script, and what was refused stands there as it was typed. The page
// of the product has the same form, empty: it is the same for everybody.
type RemarkPage struct {
	Frame
	Product  Crumb   // the product that it is about
	Remarks  Remarks // whether the product takes any
	Question bool    // it is a question, not a review
	Sent     bool    // it waits for the shop now
	Typed    Saying
	Trouble  Trouble
	Who      string // what the visitor's account is called; empty: there is none
	Before   bool   // the visitor has reviewed the product before
}

// Saying is what a visitor has typed and sent.
type Saying struct {
	Author, Text, Pros, Cons string
	Rating                   int
	Photos                   []SentPhoto
}

// SentPhoto is a picture that the shop has, though nobody sees it yet.
type SentPhoto struct {
	ID   string
	Path string // of the visitor's own look at it; empty: there is none yet
}

// Names of the fields of what visitors say.
const (
	SayAuthor, SayRating, SayText, SayPros, SayCons = "author", "rating", "text", "pros", "cons"
	SayPhotos, SayKept, SayTrap                     = "photos", "kept", "_more"
)

// ThanksPath is the page behind what was said.
const ThanksPath = "/sent"

// SayPath is where something is said of a product.
func SayPath(product shop.ProductID, question bool) string {
	if question {
		return shop.QuestionPrefix + product.String()
	}
	return shop.ReviewPrefix + product.String()
}

func (p *RemarkPage) frame() *Frame    { return &p.Frame }
func (p *RemarkPage) template() string { return "remark-page" }
func (p *RemarkPage) name(t *words) string {
	if p.Question {
		return t.Remark.Ask
	}
	return t.Remark.Write
}

// sayView is what the template of the form sees.
type sayView struct {
	*view
	Saying
	Question bool
	Product  shop.ProductID
	Back     string // the product's page
	Trouble  Trouble
	Who      string
	Alone    bool // the page is about nothing else
}

// Action is where the form is sent to.
func (s sayView) Action() string { return SayPath(s.Product, s.Question) }

// Wrong is what is wrong with a field; without a name, with the whole.
func (s sayView) Wrong(field string) string {
	if s.Trouble.Code == "" || s.Trouble.Field != field {
		return ""
	}
	return s.T.Remark.Trouble(s.Trouble.Code)
}

// Field is what is wrong with a field, for its template.
func (s sayView) Field(name string) wrong { return wrong{s.Id(name) + "-wrong", s.Wrong(name)} }

type wrong struct{ ID, Text string }

// Id is the id of a field, of which the page may have two.
func (s sayView) Id(field string) string {
	if s.Question {
		return "v-ask-" + field
	}
	return "v-say-" + field
}

// Rated are the stars to choose from.
func (s sayView) Rated() []star {
	list := make([]star, 5)
	for i := range list {
		list[i] = star{i + 1, s.T.Remark.Stars(i + 1), s.Rating == i+1}
	}
	return list
}

type star struct {
	Number  int
	Name    string
	Checked bool
}

// Most is how many pictures may still be chosen.
func (s sayView) Most() int { return shop.MaxReviewPhotos - len(s.Photos) }

// SignIn is where a visitor signs in and comes back from.
func (s sayView) SignIn() string { return "/account?next=" + s.Back }

// Saying is the empty form on the page of a product.
func (v *view) Saying(question bool) sayView {
	p := v.Page.(*ProductPage)
	return sayView{view: v, Question: question, Product: p.Remarks.Product, Back: v.Path}
}

// PageSaying is the form of a page of its own.
func (v *view) PageSaying() sayView {
	p := v.Page.(*RemarkPage)
	return sayView{view: v, Saying: p.Typed, Question: p.Question, Product: p.Remarks.Product, Back: p.Product.Path, Trouble: p.Trouble, Who: p.Who, Alone: true}
}

// Taken reports whether the product takes what the page is for.
func (p *RemarkPage) Taken() bool {
	if p.Question {
		return p.Remarks.TakesQuestions
	}
	return p.Remarks.TakesReviews
}

// AppendSaying prints the form of a page alone, or the thanks in its place, for the
// script that puts it where the old one was. An error is a fault of the templates; dst
// is then returned unchanged.
func AppendSaying(dst []byte, p *RemarkPage) ([]byte, error) {
	w := &writer{out: dst, view: newView(p)}
	w.draw("remark-said")
	if w.err != nil {
		return dst, fmt.Errorf("drawing what somebody says: %w", w.err)
	}
	return w.out, nil
}
