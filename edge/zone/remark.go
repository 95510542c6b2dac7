package zone

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"vitrine/edge/backend"
	"vitrine/internal/shop"
	"vitrine/render"
)

// Remark is a review or a question about a product.
type Remark struct {
	Product  shop.ProductID
	Question bool
	render.RemarkInput
}

// OwnReview fills in the review of the product that the visitor has written before, with previews
// of its pictures, and reports whether there is one. who is the display name of the
// visitor's account; empty if there is none.
func (v *Visit) OwnReview(r *Remark) (who string, before bool, err error) {
	person, err := v.Backend.Customer()
	if person != nil {
		who = person.Shown()
	}
	if err != nil || !v.Backend.HasSession() || r.Question {
		return who, false, err
	}
	o, refused, err := v.Backend.OwnReview(r.Product)
	if err != nil || refused != nil {
		return who, false, err
	}
	r.RemarkInput = render.RemarkInput{Author: o.Author, Text: o.Text, Pros: o.Pros, Cons: o.Cons, Rating: o.Rating}
	for _, id := range o.Files {
		r.Photos = append(r.Photos, render.RemarkPhoto{ID: id, Path: o.Photo(id)})
	}
	return who, true, nil
}

// SendRemark sends the remark to the API. The returned trouble names the refused field, if the
// refusal is about one.
func (v *Visit) SendRemark(r *Remark) (render.FormError, int, error) {
	if refused, err := v.Backend.EnsureSession(); err != nil || refused != nil {
		return trouble(refused, ""), status(refused), err
	}
	in := backend.Review{Rating: r.Rating, Text: r.Text, Pros: r.Pros, Cons: r.Cons, Author: r.Author, Files: []string{}}
	for _, p := range r.Photos {
		in.Files = append(in.Files, p.ID)
	}
	to := v.Backend.SendReview
	if r.Question {
		to = v.Backend.SendQuestion
	}
	refused, err := to(r.Product, in)
	if err != nil || refused == nil {
		return render.FormError{}, fasthttp.StatusOK, err
	}
	return r.trouble(refused), refused.Status, nil
}

// trouble finds the field that a refusal is about.
func (r *Remark) trouble(refused *backend.Refusal) render.FormError {
	long := func(text string, most int) bool { return utf8.RuneCountInString(strings.TrimSpace(text)) > most }
	const text, name = 5000, 60
	switch {
	case refused.Code != "REVIEW_INVALID" && refused.Code != "QUESTION_INVALID" && refused.Code != "TEXT_TOO_LONG":
		return trouble(refused, "")
	case long(r.Author, name):
		return render.FormError{Code: "NAME_LONG", Field: render.RemarkAuthor}
	case r.Question:
		return trouble(refused, render.RemarkText)
	case r.Rating < 1 || r.Rating > 5:
		return render.FormError{Code: "RATING_MISSING", Field: render.RemarkRating}
	case len(r.Photos) > shop.MaxReviewPhotos:
		return render.FormError{Code: "PHOTOS_MANY", Field: render.RemarkPhotos}
	}
	for field, said := range map[string]string{render.RemarkText: r.Text, render.RemarkPros: r.Pros, render.RemarkCons: r.Cons} {
		if long(said, text) {
			return render.FormError{Code: "TEXT_LONG", Field: field}
		}
	}
	return trouble(refused, "")
}

// Photo uploads a picture while it arrives, up to the size limit of the API, and returns
// its id.
func (v *Visit) Photo(body io.Reader) (id string, problem render.FormError, err error) {
	refused, err := v.Backend.EnsureSession()
	if err == nil && refused == nil {
		id, refused, err = v.Backend.UploadPhoto(body)
	}
	return id, trouble(refused, render.RemarkPhotos), err
}

// Helpful marks a review as helpful and returns the status of the call.
func (v *Visit) Helpful(id shop.RemarkID) (int, error) {
	refused, err := v.Backend.EnsureSession()
	if err == nil && refused == nil {
		refused, err = v.Backend.MarkHelpful(id)
	}
	return status(refused), err
}

func status(r *backend.Refusal) int {
	if r == nil {
		return fasthttp.StatusOK
	}
	return r.Status
}
