package zone

import (
	"io"
	"net/url"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"vitrine/internal/cookie"
	"vitrine/internal/origin"
	"vitrine/internal/shop"
	"vitrine/render"
)

// Remark is what a visitor says of a product, a review or a question.
type Remark struct {
	Product  shop.ProductID
	Question bool
	render.Saying
}

// Own fills in what the visitor has written about the product before, with a look at
// its pictures, and reports whether there is something. who is what the visitor's account
// is called; empty: there is none.
func (v *Visit) Own(r *Remark) (who string, before bool, err error) {
	v.token = v.session()
	person, err := v.person()
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
	r.Saying = render.Saying{Author: o.Author, Text: o.Text, Pros: o.Pros, Cons: o.Cons, Rating: o.Rating}
	for _, id := range o.Files {
		r.Photos = append(r.Photos, render.SentPhoto{ID: id, Path: path("/api/reviews", o.ID, "files", id)})
	}
	return who, true, nil
}

// Say hands what was said to the API. What it refuses is named by the field, where it
// is about one.
func (v *Visit) Say(r *Remark) (render.Trouble, int, error) {
	v.token = v.session()
	if refused, err := v.enter(); err != nil || refused != nil {
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
		return render.Trouble{}, fasthttp.StatusOK, err
	}
	return r.trouble(refused), refused.Status, nil
}

// trouble finds the field that a refusal is about.
func (r *Remark) trouble(refused *refusal) render.Trouble {
	long := func(text string, most int) bool { return utf8.RuneCountInString(text) > most }
	const text, name = 5000, 60
	switch {
	case refused.Code != "REVIEW_INVALID" && refused.Code != "QUESTION_INVALID" && refused.Code != "TEXT_TOO_LONG":
		return refused.trouble("")
	case long(r.Author, name):
		return render.Trouble{Code: "NAME_LONG", Field: render.SayAuthor}
	case r.Question:
		return refused.trouble(render.SayText)
	case r.Rating < 1 || r.Rating > 5:
		return render.Trouble{Code: "RATING_MISSING", Field: render.SayRating}
	case len(r.Photos) > shop.MaxReviewPhotos:
		return render.Trouble{Code: "PHOTOS_MANY", Field: render.SayPhotos}
	}
	for field, said := range map[string]string{render.SayText: r.Text, render.SayPros: r.Pros, render.SayCons: r.Cons} {
		if long(said, text) {
			return render.Trouble{Code: "TEXT_LONG", Field: field}
		}
	}
	return refused.trouble("")
}

// Photo sends a picture on as it comes in, at most as large as the API takes, and
// answers its id.
func (v *Visit) Photo(body io.Reader) (id string, trouble render.Trouble, err error) {
	v.token = v.session()
	refused, err := v.enter()
	if err != nil || refused != nil {
		return "", refused.trouble(render.SayPhotos), err
	}
	var announced struct {
		Result struct{ ID string }
		Upload struct{ ID, URL string }
	}
	refused, err = v.call("POST", "/v1/storages/files", map[string]string{
		"section": shop.ReviewSection, "file_type": "image", "original_name": "photo",
	}, &announced)
	if err != nil || refused != nil {
		return "", refused.trouble(render.SayPhotos), err
	}
	at, err := url.Parse(announced.Upload.URL)
	if err != nil {
		return "", trouble, err
	}
	if refused, err = v.send(at.Path, body); err == nil && refused == nil {
		refused, err = v.call("POST", path("/v1/storages/files", announced.Upload.ID, "done"), struct{}{}, nil)
	}
	return announced.Result.ID, refused.trouble(render.SayPhotos), err
}

// Helpful says that a review helped, and answers the status of that.
func (v *Visit) Helpful(id shop.RemarkID) (int, error) {
	v.token = v.session()
	refused, err := v.enter()
	if err == nil && refused == nil {
		refused, err = v.call("POST", path("/reviews", id.String(), "helpful"), struct{}{}, nil)
	}
	return status(refused), err
}

// Cookies are what the visitor's session is kept by from now on.
func (v *Visit) Cookies() []string { return v.cookies }

// session is that of the visit, as it is by now.
func (v *Visit) session() string {
	if v.token != "" {
		return v.token
	}
	return string(v.Storefront.Cookies.Of(v.Request, cookie.Session))
}

func status(r *refusal) int {
	if r == nil {
		return fasthttp.StatusOK
	}
	return r.Status
}

// send puts bytes to an address of the API that is its own permission.
func (v *Visit) send(to string, body io.Reader) (*refusal, error) {
	var call fasthttp.RequestCtx
	h := v.begin(&call, fasthttp.MethodPut)
	h.SetContentType("application/octet-stream")
	call.Request.SetRequestURI(to)
	call.Request.SetBodyStream(body, -1)
	origin.Mark(&call, v.Storefront)
	v.API(&call)
	return read(&call.Response, nil)
}
