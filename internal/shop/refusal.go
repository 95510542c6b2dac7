package shop

import (
	"errors"
	"maps"
	"strconv"
	"strings"
	"unicode"
)

// Class is a gRPC status class; its name is printed in every error body.
type Class string

// The classes in use. The HTTP status follows the class; WithStatus serves the
// literal 409s and 422s of the specification.
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

// Refusal is an answer of "no": a class, a code that clients match, optionally the
// place in the request that it is about, a detail for people, and fields that stand
// beside "error" in the body.
// Refusals are declared beside the rule that raises them and never changed;
// the With methods return copies.
type Refusal struct {
	Class  Class
	Code   string
	Place  string // such as item.variants[3].title; see At
	Detail string
	Fields map[string]any

	Meaning string // when it is given, in words that need no call to understand
	status  int
}

// Refuse declares a refusal.
func Refuse(class Class, code string) *Refusal { return &Refusal{Class: class, Code: code} }

// Error is the text of the error body: "rpc error: code = X desc = CODE: detail"
// (document 1, conventions), where the place begins the detail.
func (r *Refusal) Error() string {
	text := "rpc error: code = " + string(r.Class) + " desc = " + r.Code
	if detail := r.Told(); detail != "" {
		text += ": " + detail
	}
	return text
}

// Told is the place and the detail, as they stand after the code.
func (r *Refusal) Told() string {
	if r.Place == "" || r.Detail == "" {
		return r.Place + r.Detail
	}
	return r.Place + ": " + r.Detail
}

// Body is the body of the answer: the text with the fields beside it.
func (r *Refusal) Body() map[string]any {
	body := map[string]any{"error": r.Error()}
	maps.Copy(body, r.Fields)
	return body
}

// Is lets errors.Is compare by code, whatever the detail.
func (r *Refusal) Is(target error) bool {
	var other *Refusal
	return errors.As(target, &other) && other.Code == r.Code
}

// Status is the HTTP status of the answer.
func (r *Refusal) Status() int {
	if r.status != 0 {
		return r.status
	}
	return statusOf[r.Class]
}

// When returns a copy that says when it is given. Rows of the API show it in the
// OpenAPI document beside the code; a detail says what was wrong in one call.
func (r *Refusal) When(meaning string) *Refusal {
	c := *r
	c.Meaning = meaning
	return &c
}

// maxDetail is how many bytes of a detail are told: it may quote a long text, and
// an answer that sends it back tells nothing more.
const maxDetail = 1000

// With returns a copy with a detail for people, in one line: it may quote what a
// caller sent.
func (r *Refusal) With(detail string) *Refusal {
	c := *r
	if len(detail) > maxDetail {
		detail = strings.ToValidUTF8(detail[:maxDetail], "") + "…"
	}
	c.Detail = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, detail)
	return &c
}

// At returns a copy that is about a place in the request, a field or an entry of a
// list. Whoever knows only a part of the way says that part, and what is around it
// says At again: At("title") and then At("variants[3]") is variants[3].title.
func (r *Refusal) At(place string) *Refusal {
	c := *r
	if c.Place != "" && c.Place[0] != '[' {
		place += "."
	}
	c.Place = place + c.Place
	return &c
}

// At says where in the request a refusal is about, as its method does; any other error,
// nil too, stays what it is.
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

// WithField returns a copy with a field beside "error", such as limit_code.
func (r *Refusal) WithField(name string, value any) *Refusal {
	c := *r
	c.Fields = maps.Clone(r.Fields)
	if c.Fields == nil {
		c.Fields = map[string]any{}
	}
	c.Fields[name] = value
	return &c
}

// WithStatus returns a copy that answers with a literal HTTP status, where the
// specification names one that does not follow the class (409, 422).
func (r *Refusal) WithStatus(status int) *Refusal {
	c := *r
	c.status = status
	return &c
}

// RetryAfter returns a copy that asks the caller to wait; the same number
// stands in the header and in the body's retry_after.
func (r *Refusal) RetryAfter(seconds int) *Refusal {
	return r.WithField("retry_after", seconds)
}

// RetryAfterHeader is the Retry-After header value, empty when there is none.
func (r *Refusal) RetryAfterHeader() string {
	if s, ok := r.Fields["retry_after"].(int); ok {
		return strconv.Itoa(s)
	}
	return ""
}

// AsRefusal finds the refusal in an error chain.
func AsRefusal(err error) (*Refusal, bool) {
	var r *Refusal
	ok := errors.As(err, &r)
	return r, ok
}

// Refusals that belong to no single noun.
var (
	ErrNotFound         = Refuse(NotFound, "NOT_FOUND").When("nothing has this address")
	ErrInvalidRequest   = Refuse(InvalidArgument, "INVALID_REQUEST").When("a parameter or the body cannot be read; the detail says where")
	ErrMethodNotAllowed = Refuse(InvalidArgument, "METHOD_NOT_ALLOWED").When("the address knows other methods; Allow lists them").WithStatus(405)
	ErrBodyTooLarge     = Refuse(InvalidArgument, "BODY_TOO_LARGE").When("the body is longer than the endpoint reads").WithStatus(413)
	ErrInternal         = Refuse(Internal, "INTERNAL").When("a fault of the server; it is logged with the request id")
	ErrUnavailable      = Refuse(Unavailable, "UNAVAILABLE").When("the server is busy or took too long; try again")
	ErrRateLimited      = Refuse(ResourceExhausted, "RATE_LIMITED").When("too many calls in this minute; wait for Retry-After seconds")
)
