package zone

import (
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"vitrine/internal/cookie"
	"vitrine/internal/origin"
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
	v.token = v.session()
	person, err := v.customer()
	if person != nil {
		who = person.Shown()
	}
	if err != nil || v.token == "" || r.Question {
		return who, false, err
	}
	var own result[struct {
		ID     string   `json:"id"`
		Author string   `json:"author"`
		Rating int      `json:"rating"`
		Text   string   `json:"text"`
		Pros   string   `json:"pros"`
		Cons   string   `json:"cons"`
		Files  []string `json:"file_ids"`
	}]
	refused, err := v.call("GET", path("/products", r.Product.String(), "reviews", "own"), nil, &own)
	if err != nil || refused != nil {
		return who, false, err
	}
	o := own.Result
	r.RemarkInput = render.RemarkInput{Author: o.Author, Text: o.Text, Pros: o.Pros, Cons: o.Cons, Rating: o.Rating}
	for _, id := range o.Files {
		r.Photos = append(r.Photos, render.RemarkPhoto{ID: id, Path: path("/api/reviews", o.ID, "files", id)})
	}
	return who, true, nil
}

// SendRemark sends the remark to the API. The returned trouble names the refused field, if the
// refusal is about one.
func (v *Visit) SendRemark(r *Remark) (render.FormError, int, error) {
	v.token = v.session()
	if refused, err := v.ensureSession(); err != nil || refused != nil {
		return refused.trouble(""), status(refused), err
	}
	to := path("/products", r.Product.String(), "reviews")
	if r.Question {
		to = path("/products", r.Product.String(), "questions")
	}
	files := []string{}
	for _, p := range r.Photos {
		files = append(files, p.ID)
	}
	refused, err := v.call("POST", to, map[string]any{
		"rating": r.Rating, "text": r.Text, "pros": r.Pros, "cons": r.Cons, "author": r.Author, "file_ids": files,
	}, nil)
	if err != nil || refused == nil {
		return render.FormError{}, fasthttp.StatusOK, err
	}
	return r.trouble(refused), refused.Status, nil
}

// trouble finds the field that a refusal is about.
func (r *Remark) trouble(refused *refusal) render.FormError {
	long := func(text string, most int) bool { return utf8.RuneCountInString(strings.TrimSpace(text)) > most }
	const text, name = 5000, 60
	switch {
	case refused.Code != "REVIEW_INVALID" && refused.Code != "QUESTION_INVALID" && refused.Code != "TEXT_TOO_LONG":
		return refused.trouble("")
	case long(r.Author, name):
		return render.FormError{Code: "NAME_LONG", Field: render.RemarkAuthor}
	case r.Question:
		return refused.trouble(render.RemarkText)
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
	return refused.trouble("")
}

// Photo uploads a picture while it arrives, up to the size limit of the API, and returns
// its id.
func (v *Visit) Photo(body io.Reader) (id string, trouble render.FormError, err error) {
	v.token = v.session()
	refused, err := v.ensureSession()
	if err != nil || refused != nil {
		return "", refused.trouble(render.RemarkPhotos), err
	}
	var announced struct {
		Result struct{ ID string }
		Upload struct{ ID, URL string }
	}
	refused, err = v.call("POST", "/v1/storages/files", map[string]string{
		"section": shop.ReviewSection, "file_type": "image", "original_name": "photo",
	}, &announced)
	if err != nil || refused != nil {
		return "", refused.trouble(render.RemarkPhotos), err
	}
	at, err := url.Parse(announced.Upload.URL)
	if err != nil {
		return "", trouble, err
	}
	if refused, err = v.send(at.Path, body); err == nil && refused == nil {
		refused, err = v.call("POST", path("/v1/storages/files", announced.Upload.ID, "done"), struct{}{}, nil)
	}
	return announced.Result.ID, refused.trouble(render.RemarkPhotos), err
}

// Helpful marks a review as helpful and returns the status of the call.
func (v *Visit) Helpful(id shop.RemarkID) (int, error) {
	v.token = v.session()
	refused, err := v.ensureSession()
	if err == nil && refused == nil {
		refused, err = v.call("POST", path("/reviews", id.String(), "helpful"), struct{}{}, nil)
	}
	return status(refused), err
}

// Cookies are the Set-Cookie fields that keep the visitor's session.
func (v *Visit) Cookies() []string { return v.cookies }

// session is the current session token of the visit.
func (v *Visit) session() string {
	if v.token != "" {
		return v.token
	}
	return string(v.Storefront.Cookies.Value(v.Request, cookie.Session))
}

func status(r *refusal) int {
	if r == nil {
		return fasthttp.StatusOK
	}
	return r.Status
}

// send uploads bytes to a pre-authorized address of the API.
func (v *Visit) send(to string, body io.Reader) (*refusal, error) {
	var call fasthttp.RequestCtx
	h := v.newCall(&call, fasthttp.MethodPut)
	h.SetContentType("application/octet-stream")
	call.Request.SetRequestURI(to)
	call.Request.SetBodyStream(body, -1)
	origin.Mark(&call, v.Storefront)
	v.API(&call)
	return read(&call.Response, nil)
}
