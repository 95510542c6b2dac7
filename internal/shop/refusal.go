package shop

import (
	"errors"
	"maps"
	"strconv"
	"strings"
)

// Class is a gRPC status class; every error body contains its name.
type Class string

// The classes in use. The HTTP status follows from the class; WithStatus is for the literal
// 409s and 422s of the specification.
const (
	InvalidArgument    Class = "InvalidArgument"
	FailedPrecondition Class = "FailedPrecondition"
	Unauthenticated    Class = "Unauthenticated"
	PermissionDenied   Class = "PermissionDenied"
	NotFound           Class = "NotFound"
	AlreadyExists      Class = "AlreadyExists"
	Aborted            Class = "Aborted"
	ResourceExhausted  Class = "ResourceExhausted"
	Internal           Class = "Internal"
	Unavailable        Class = "Unavailable"
)

var statusOf = map[Class]int{
	InvalidArgument: 400, FailedPrecondition: 400, Unauthenticated: 401, PermissionDenied: 403, NotFound: 404,
	AlreadyExists: 409, Aborted: 409, ResourceExhausted: 429, Internal: 500, Unavailable: 503,
}

// Refusal is an error answer: a class, a code that clients match, optionally the place in
// the request to which it refers, a detail for people, and fields next to "error" in the
// body. Refusals are declared next to the rule that raises them and never changed; the With
// methods return copies.
type Refusal struct {
	Class  Class
	Code   string
	Place  string // such as item.variants[3].title; see At
	Detail string
	Fields map[string]any

	Meaning string // when the refusal is returned, understandable without the call
	status  int
	named   bool // the text does not begin with the place; see About
}

// Fault is a refusal as data: what programs read instead of the text. Place is a path from the
// root of the body, or the name of a parameter of the address; it is empty if the refusal is not
// about one of them.
type Fault struct {
	Code   string `json:"code"`
	Place  string `json:"place"`
	Detail string `json:"detail"`
}

// Refuse declares a refusal.
func Refuse(class Class, code string) *Refusal { return &Refusal{Class: class, Code: code} }

// Error returns the text of the error body: "rpc error: code = X desc = CODE: detail"
// (document 1, conventions), with the place at the beginning of the detail.
func (r *Refusal) Error() string {
	text := "rpc error: code = " + string(r.Class) + " desc = " + r.Code
	if detail := r.Message(); detail != "" {
		text += ": " + detail
	}
	return text
}

// Message returns the place and the detail, as printed after the code.
func (r *Refusal) Message() string {
	if r.named || r.Place == "" {
		return r.Detail
	}
	if r.Detail == "" {
		return r.Place
	}
	return r.Place + ": " + r.Detail
}

// Fault returns code, place and detail.
func (r *Refusal) Fault() Fault { return Fault{r.Code, r.Place, r.Detail} }

// Body returns the body of the answer: the text, the same as data, and the fields next to it.
func (r *Refusal) Body() map[string]any {
	body := map[string]any{"error": r.Error(), "code": r.Code, "place": r.Place, "detail": r.Detail}
	maps.Copy(body, r.Fields)
	return body
}

// Is makes errors.Is compare by code, ignoring the detail.
func (r *Refusal) Is(target error) bool {
	var other *Refusal
	return errors.As(target, &other) && other.Code == r.Code
}

// Status returns the HTTP status of the answer.
func (r *Refusal) Status() int {
	if r.status != 0 {
		return r.status
	}
	return statusOf[r.Class]
}

// When returns a copy that documents when the refusal is returned. Rows of the API show
// this in the OpenAPI document next to the code; a detail explains what was wrong in one
// call.
func (r *Refusal) When(meaning string) *Refusal {
	c := *r
	c.Meaning = meaning
	return &c
}

// maxDetail bounds the bytes of a detail: it may quote a long text, and returning all of it
// adds no information.
const maxDetail = 1000

// With returns a copy with a detail for people, on one line: it may quote input of the
// caller.
func (r *Refusal) With(detail string) *Refusal {
	c := *r
	if len(detail) > maxDetail {
		detail = strings.ToValidUTF8(detail[:maxDetail], "") + "…"
	}
	c.Detail = OneLine(detail)
	return &c
}

// At returns a copy that refers to a place in the request, a field or an entry of a list.
// Code that knows only a part of the path gives that part, and its callers add theirs with
// At: At("title") and then At("variants[3]") is variants[3].title.
func (r *Refusal) At(place string) *Refusal {
	c := *r
	if c.Place != "" && c.Place[0] != '[' {
		place += "."
	}
	c.Place = place + c.Place
	return &c
}

// About returns a copy that refers to a place which its text does not begin with, because the
// detail names it already, or because all refusals of this code have the same text.
func (r *Refusal) About(place string) *Refusal {
	c := *r
	c.Place, c.named = place, true
	return &c
}

// At adds a place in the request to a refusal, like its method; it returns any other error,
// and nil, unchanged.
func At(err error, place string) error {
	if r, ok := err.(*Refusal); ok {
		return r.At(place)
	}
	return err
}

// AtEntry is At for an entry of a list.
func AtEntry(err error, list string, n int) error {
	return At(err, list+"["+strconv.Itoa(n)+"]")
}

// WithField returns a copy with a field next to "error", such as limit_code.
func (r *Refusal) WithField(name string, value any) *Refusal {
	c := *r
	c.Fields = maps.Clone(r.Fields)
	if c.Fields == nil {
		c.Fields = map[string]any{}
	}
	c.Fields[name] = value
	return &c
}

// WithStatus returns a copy with a literal HTTP status, where the specification names one
// that does not follow from the class (409, 422).
func (r *Refusal) WithStatus(status int) *Refusal {
	c := *r
	c.status = status
	return &c
}

// RetryAfter returns a copy that asks the caller to wait; the same number is in the header
// and in the body's retry_after.
func (r *Refusal) RetryAfter(seconds int) *Refusal {
	return r.WithField("retry_after", seconds)
}

// RetryAfterHeader returns the value of the Retry-After header, empty when there is none.
func (r *Refusal) RetryAfterHeader() string {
	if s, ok := r.Fields["retry_after"].(int); ok {
		return strconv.Itoa(s)
	}
	return ""
}

// Elsewhere returns a copy that sends the caller to another address; it is also in the header.
func (r *Refusal) Elsewhere(address string) *Refusal {
	return r.WithStatus(307).WithField("location", address)
}

// LocationHeader returns the value of the Location header, empty when there is none.
func (r *Refusal) LocationHeader() string {
	address, _ := r.Fields["location"].(string)
	return address
}

// AsRefusal finds the refusal in an error chain.
func AsRefusal(err error) (*Refusal, bool) {
	var r *Refusal
	ok := errors.As(err, &r)
	return r, ok
}

// Refusals not specific to one noun.
var (
	ErrNotFound         = Refuse(NotFound, "NOT_FOUND").When("nothing has this address")
	ErrInvalidRequest   = Refuse(InvalidArgument, "INVALID_REQUEST").When("a parameter or the body cannot be read; the detail says where")
	ErrMethodNotAllowed = Refuse(InvalidArgument, "METHOD_NOT_ALLOWED").When("the address supports other methods; Allow lists them").WithStatus(405)
	ErrBodyTooLarge     = Refuse(InvalidArgument, "BODY_TOO_LARGE").When("the body is longer than the endpoint reads").WithStatus(413)
	ErrInternal         = Refuse(Internal, "INTERNAL").When("an error of the server; it is logged with the request id")
	ErrUnavailable      = Refuse(Unavailable, "UNAVAILABLE").When("the server is busy or took too long; try again")
	ErrRateLimited      = Refuse(ResourceExhausted, "RATE_LIMITED").When("too many calls in this minute; wait for Retry-After seconds")
)
