package render

import (
	"fmt"

	"vitrine/internal/shop"
)

// RemarkPage is the page with the form for a review or a question of a product. It works
// without a script, and refused input is shown again as it was typed. The page of the product
// contains the same form, empty, because that page is the same for all visitors.
type RemarkPage struct {
	Frame
	Product  Crumb   // the product it is about
	Remarks  Remarks // whether the product accepts any
	Question bool    // it is a question, not a review
	Sent     bool    // submitted, waiting for approval by the shop
	Typed    RemarkInput
	Trouble  FormError
	Who      string // the name of the visitor's account; empty: no account
	Before   bool   // the visitor has already reviewed the product
}

// RemarkInput is the submitted review or question.
type RemarkInput struct {
	Author, Text, Pros, Cons string
	Rating                   int
	Photos                   []RemarkPhoto
}

// RemarkPhoto is an uploaded picture that is not published yet.
type RemarkPhoto struct {
	ID   string
	Path string // of the visitor's private preview; empty: not available yet
}

// Names of the form fields of reviews and questions.
const (
	RemarkAuthor, RemarkRating, RemarkText, RemarkPros, RemarkCons = "author", "rating", "text", "pros", "cons"
	RemarkPhotos, RemarkKept, RemarkTrap                           = "photos", "kept", "_more"
)

// ThanksPath is the suffix of the page after submission.
const ThanksPath = "/sent"

// RemarkPath is the address of the form for a review or a question of a product.
func RemarkPath(product shop.ProductID, question bool) string {
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

// sayView is the data of the form's template.
type sayView struct {
	*view
	RemarkInput
	Question bool
	Product  shop.ProductID
	Back     string // the product's page
	Trouble  FormError
	Who      string
	Alone    bool // the form is on its own page
}

// Action is the address the form is posted to.
func (s sayView) Action() string { return RemarkPath(s.Product, s.Question) }

// Wrong is the error text of a field; with an empty name, that of the whole form.
func (s sayView) Wrong(field string) string {
	if s.Trouble.Code == "" || s.Trouble.Field != field {
		return ""
	}
	return s.T.Remark.Trouble(s.Trouble.Code)
}

// Field is the error of a field, for its template.
func (s sayView) Field(name string) wrong { return wrong{s.Id(name) + "-wrong", s.Wrong(name)} }

type wrong struct{ ID, Text string }

// Id is the id of a field; the page may contain both forms.
func (s sayView) Id(field string) string {
	if s.Question {
		return "v-ask-" + field
	}
	return "v-say-" + field
}

// Rated lists the numbers of stars to choose from.
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

// Most is the number of pictures that may still be added.
func (s sayView) Most() int { return shop.MaxReviewPhotos - len(s.Photos) }

// SignIn is the address of the sign-in page, returning to the product.
func (s sayView) SignIn() string { return "/account?next=" + s.Back }

// Saying is the empty form on the page of a product.
func (v *view) Saying(question bool) sayView {
	p := v.Page.(*ProductPage)
	return sayView{view: v, Question: question, Product: p.Remarks.Product, Back: v.Path}
}

// PageSaying is the form on its own page.
func (v *view) PageSaying() sayView {
	p := v.Page.(*RemarkPage)
	return sayView{view: v, RemarkInput: p.Typed, Question: p.Question, Product: p.Remarks.Product, Back: p.Product.Path, Trouble: p.Trouble, Who: p.Who, Alone: true}
}

// Accepted reports whether the product accepts the review or question of the page.
func (p *RemarkPage) Accepted() bool {
	if p.Question {
		return p.Remarks.TakesQuestions
	}
	return p.Remarks.TakesReviews
}

// AppendRemarkForm prints the form of a page alone, or the thanks that replace it; the script
// puts it in place of the old form. An error means a fault in the templates; dst is then
// returned unchanged.
func AppendRemarkForm(dst []byte, p *RemarkPage) ([]byte, error) {
	w := &writer{out: dst, view: newView(p)}
	w.draw("remark-said")
	if w.err != nil {
		return dst, fmt.Errorf("drawing the form of a remark: %w", w.err)
	}
	return w.out, nil
}
