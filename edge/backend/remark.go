package backend

import (
	"io"
	"net/url"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
)

// Review is a review or question as the API takes it.
type Review struct {
	Rating int      `json:"rating"`
	Text   string   `json:"text"`
	Pros   string   `json:"pros"`
	Cons   string   `json:"cons"`
	Author string   `json:"author"`
	Files  []string `json:"file_ids"`
}

// OwnReview is a review that the visitor has written before.
type OwnReview struct {
	ID string `json:"id"`
	Review
}

// Photo is the address of a picture of the review, which only its author may see.
func (r *OwnReview) Photo(file string) string { return path("/api/reviews", r.ID, "files", file) }

// OwnReview is the visitor's review of a product.
func (v *Visitor) OwnReview(product shop.ProductID) (OwnReview, *Refusal, error) {
	return get[OwnReview](v, path("/products", product.String(), "reviews", "own"))
}

// SendReview sends a review of a product.
func (v *Visitor) SendReview(product shop.ProductID, r Review) (*Refusal, error) {
	return v.post(path("/products", product.String(), "reviews"), r)
}

// SendQuestion sends a question about a product.
func (v *Visitor) SendQuestion(product shop.ProductID, r Review) (*Refusal, error) {
	return v.post(path("/products", product.String(), "questions"), r)
}

// MarkHelpful marks a review as helpful.
func (v *Visitor) MarkHelpful(id shop.RemarkID) (*Refusal, error) {
	return v.post(path("/reviews", id.String(), "helpful"), empty{})
}

// UploadPhoto uploads a picture of a review while it arrives, and returns its id.
func (v *Visitor) UploadPhoto(body io.Reader) (id string, refused *Refusal, err error) {
	const files = "/v1/storages/files"
	var announced struct {
		Result struct{ ID string }
		Upload struct{ ID, URL string }
	}
	refused, err = v.call(request{method: fasthttp.MethodPost, path: files, in: struct {
		Section string `json:"section"`
		Type    string `json:"file_type"`
		Name    string `json:"original_name"`
	}{shop.ReviewSection, "image", "photo"}}, &announced)
	if err != nil || refused != nil {
		return "", refused, err
	}
	at, err := url.Parse(announced.Upload.URL)
	if err != nil {
		return "", nil, err
	}
	refused, err = v.call(request{method: fasthttp.MethodPut, path: at.Path, stream: body, anonymous: true}, nil)
	if err == nil && refused == nil {
		refused, err = v.post(path(files, announced.Upload.ID, "done"), empty{})
	}
	return announced.Result.ID, refused, err
}
