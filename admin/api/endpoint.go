// Package api is the common part of the endpoints of the admin API: the table row that
// describes an endpoint, the call, the identity of the caller, decoding of bodies, writing of
// responses and refusals, and rate limits.
//
// An endpoint is a row of data. The rows of all packages together determine the router, the
// allow-list of keys, the rate classes, the OpenAPI documents, the list of scopes and the
// passport, so that these always agree.
//
// The package defines no endpoints and contains no SQL.
package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"reflect"

	"vitrine/admin/api/body"
	"vitrine/internal/shop"
)

// Auth determines who may call an endpoint.
type Auth uint8

// The kinds of callers.
const (
	// Private: a key with the scopes, or a session of a member.
	Private Auth = iota
	// Public: anyone; an anonymous caller names the shop and sees published things (document 1,
	// section 4).
	Public
	// SessionOnly: a person. Keys get PAT_METHOD_NOT_ALLOWED.
	SessionOnly
	// Person: any signed-in person, member of a shop or buyer, and keys with the scopes. The
	// handler checks ownership.
	Person
	// Link: the address itself authorizes the call (upload addresses), or no authorization is
	// needed (login, discovery).
	Link
)

// Contour is which rows of a shop an endpoint works on when it is called in the draft contour.
// It is put into the context of the handler, so that handlers need not deal with it.
type Contour uint8

// The contours of an endpoint.
const (
	// CallersContour: the draft for callers in the draft contour, else the live shop.
	CallersContour Contour = iota
	// LiveOnly: always the live shop. The things it works on have no draft.
	LiveOnly
	// RefusesDraft: the live shop; calls in the draft contour are refused with
	// PAT_CONTOUR_MISMATCH or DEV_MODE_UNAVAILABLE.
	RefusesDraft
)

// Freshness is which calls of a session need a proof of identity from the last 10 minutes
// (CONTRACT, "Second factor"). Keys are not asked.
type Freshness uint8

// The kinds of freshness.
const (
	FreshNever Freshness = iota
	FreshAlways
	FreshForSecrets // where the handler calls RequireFresh
)

// Class is the rate class that a call counts in.
type Class uint8

// The rate classes (document 1, section 8).
const (
	Free Class = iota
	Read
	Write
	Storage
	Previews // previews of site files, counted in addition to the class of their endpoint (document 3, 4.3)
	Pictures // of which one page shows a hundred; reads for those who are not members
)

// Endpoint is one row of the API.
type Endpoint struct {
	Method  string
	Path    string // with {name} segments
	Summary string // one sentence without a final period for OpenAPI

	Auth    Auth
	Scopes  []shop.Scope  // a key needs all of them
	Manage  *shop.Refusal // the refusal for people who are neither owner nor admin; nil: any role
	Contour Contour       // which rows it works on
	Fresh   Freshness     // which calls of a session need a recent proof of identity
	Class   Class

	MaxBody int64 // bytes of a JSON body; 0 means 1 MiB
	Status  int   // of a success; 0 means 200
	Also    int   // another status of a success, which the response chooses; see Statused
	Files   bool  // a form has any number of files, as parts named files[], and not one named file
	Strict  bool  // unknown body fields are refused (site files)
	Sandbox bool  // sandboxed pages of site folders may call it (document 3, 4.2)

	// NotText maps the field of a body that is not UTF-8 text without NUL to its refusal, ""
	// for all other fields; nil: INVALID_REQUEST.
	NotText map[string]*shop.Refusal

	OrderLink bool // ?key= of the order in the path replaces a session

	Storefront bool // of addresses with a protocol of their own: only shops' hosts serve it, not the admin origin

	OwnBudget bool // counts its callers itself instead of in the class of the visitor's network

	OfPerson        bool // it is about the person, in whichever shop they act: an Idempotency-Key belongs to the person alone
	SignsIn         bool // opens a session, on a shop's host by a cookie: refused where browsers do not keep the cookie
	Secret          bool // the response opens a session or shows a secret once, so it is not stored for repeats
	SeparateCommits bool // each of its writes commits on its own: it calls other services in between, or one may fail without the others

	// Edits is the path of the endpoint that reads the object which this one edits, if the edit
	// can name the version that it was made from. See Basis.
	Edits string

	Own bool // reads an object of the caller, which nobody else edits

	read    *Endpoint // of Edits
	version []int     // where responses have updated_at; nil: they have no ETag

	Computes bool   // changes nothing, although it is not a GET
	Undo     string // a sentence on how a successful call can be undone; empty: there is no call for it

	Cached bool // its responses have an ETag, with which callers may revalidate them
	Parts  bool // returns a Raw with an ETag whose Stream is an io.Seeker: callers may request parts of it

	Consumes []string // content types of a body that is not JSON
	Produces []string // content types of a Raw response; empty means JSON

	// Errors are the refusals of the endpoint itself; Refusals adds those implied by the other
	// fields. Tests fail on a refusal that the endpoint does not list.
	Errors Refusals

	Do Handler
}

// Handler is a typed function wrapped by Handle.
type Handler struct {
	In, Out   reflect.Type
	namesShop bool // In has a ShopInAddress
	shape     *body.Shape
	run       func(ctx context.Context, c *Call) (any, error)
}

// Handle wraps the function of an endpoint. In is a struct: fields tagged `path:"id"` and
// `query:"page.number"` are set from the address, all others from the JSON body by their json
// tags, each within its body.Bound. Out is written as JSON; None is written as {}.
func Handle[In, Out any](f func(ctx context.Context, c *Call, in In) (Out, error)) Handler {
	_, namesShop := reflect.TypeFor[In]().FieldByName(reflect.TypeFor[ShopInAddress]().Name())
	return Handler{
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](), namesShop: namesShop, shape: body.ShapeOf(reflect.TypeFor[In]()),
		run: func(ctx context.Context, c *Call) (any, error) {
			var in In
			if err := c.decode(&in); err != nil {
				return nil, err
			}
			if err := c.setBasis(ctx, in); err != nil {
				return nil, err
			}
			out, err := f(ctx, c, in)
			return out, c.endpoint.Do.shape.Locate(c.afterEdit(ctx, err), c.endpoint.parameters())
		},
	}
}

// None is an empty request or response.
type None struct{}

// Result wraps one object or a list, as most responses do.
type Result[T any] struct {
	Result T `json:"result"`
}

// Wrap returns the usual response: the value in a Result.
func Wrap[T any](v T) Result[T] { return Result[T]{v} }

// Page is a page of a list with its totals as one object inside of result, as the commerce
// endpoints return it (CONTRACT-COMMERCE, "a list").
type Page[T any] struct {
	Items       []T `json:"items"`
	Total       int `json:"total"`
	CurrentPage int `json:"currentPage"`
}

// NewPage returns the response with a page of a list; view converts each row.
func NewPage[Row, T any](rows []Row, view func(Row) T, total, number int) Result[Page[T]] {
	p := Page[T]{Items: make([]T, 0, len(rows)), Total: total, CurrentPage: number}
	for _, row := range rows {
		p.Items = append(p.Items, view(row))
	}
	return Wrap(p)
}

// List is a page of a list with its totals beside it, as the catalogue and storefront endpoints
// return it.
type List[T any] struct {
	Result      []T `json:"result"`
	Total       int `json:"total"`
	CurrentPage int `json:"current_page"`
}

// Raw is a response that is not JSON, or JSON that was encoded elsewhere.
type Raw struct {
	ContentType string // empty: JSON
	Body        []byte
	Stream      io.ReadCloser // instead of Body, closed once it is sent; it outlives the context of the call
	Length      int           // bytes of Stream; -1: not known yet
	MaxAge      int           // seconds; 0 sends no-store
	ETag        string        // with its quotes; empty: callers cannot revalidate
	Policy      string        // the Content-Security-Policy of a page
}

// The values of MaxAge for responses that are revalidated each time they are used.
const (
	Revalidate = -1 // anyone may cache them
	Personal   = -2 // only the caller's browser may
)

// Document returns a Raw response that callers may cache and revalidate: they get a 304 while the
// body is unchanged.
func Document(contentType string, body []byte, maxAge int) Raw {
	sum := sha256.Sum256(body)
	return Raw{ContentType: contentType, Body: body, MaxAge: maxAge, ETag: `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// Paging is the pair of parameters of every list (document 1, 4.2): number from 1, limit 1 to
// 100; number requires limit.
type Paging struct {
	Number *int `query:"page.number" json:"-" doc:"number of the page, from 1; requires page.limit"`
	Limit  *int `query:"page.limit" json:"-" doc:"rows per page, 1 to 100"`
}

// Page returns number and limit, or the refusal INVALID_REQUEST.
func (p Paging) Page(defaultLimit int) (number, limit int, err error) {
	number, limit = 1, defaultLimit
	if p.Number != nil && p.Limit == nil {
		return 0, 0, shop.ErrInvalidRequest.With("page.number requires page.limit").About("page.number")
	}
	if p.Number != nil {
		number = *p.Number
	}
	if p.Limit != nil {
		limit = *p.Limit
	}
	if number < 1 || number > 1_000_000 {
		return 0, 0, shop.ErrInvalidRequest.With("page.number starts at 1").About("page.number")
	}
	if limit < 1 || limit > 100 {
		return 0, 0, shop.ErrInvalidRequest.With("page.limit must be 1 to 100").About("page.limit")
	}
	return number, limit, nil
}

// Set sets a field to the value of a request, if it was sent.
func Set[T any](field, sent *T) {
	if sent != nil {
		*field = *sent
	}
}
