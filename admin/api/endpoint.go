// Package api is what the endpoints of the admin API share: the table row that
// describes an endpoint, the call it answers, who calls, how bodies are read
// and answers and refusals are written, and the rate limits.
//
// An endpoint is a row of data. The rows of all slices together drive the
// router, the allow-list of keys, the rate classes, the OpenAPI documents, the
// list of scopes and the passport, so that none of them can disagree.
//
// The package knows no endpoint of its own and no SQL.
package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"reflect"

	"vitrine/internal/shop"
)

// Auth says who may call an endpoint.
type Auth uint8

// The kinds of callers.
const (
	// Private: a key with the scopes, or a session of a member.
	Private Auth = iota
	// Public: anybody; an anonymous caller names the shop and sees what is
	// published (document 1, section 4).
	Public
	// SessionOnly: a person. Keys get PAT_METHOD_NOT_ALLOWED.
	SessionOnly
	// Person: anybody who is signed in, member of a shop or buyer, and keys with the
	// scopes. The handler sees to whose things they are.
	Person
	// Link: the address itself authorizes (upload addresses), or nothing needs
	// to (login, discovery).
	Link
)

// Contour says which rows of a shop an endpoint works on when the draft contour
// calls it. It is put into the context that the handler works in, so that no
// handler has to know of it.
type Contour uint8

// The contours of an endpoint.
const (
	// CallersContour: the draft, for who calls in it; else the live shop.
	CallersContour Contour = iota
	// LiveOnly: the live shop, whoever calls. What it works on has no draft.
	LiveOnly
	// RefusesDraft: the live shop, and the draft contour gets PAT_CONTOUR_MISMATCH
	// or DEV_MODE_UNAVAILABLE.
	RefusesDraft
)

// Class is the rate class that a call counts in.
type Class uint8

// The rate classes (document 1, section 8).
const (
	Free Class = iota
	Read
	Write
	Storage
	Previews // of site files, counted beside the class of their row (document 3, 4.3)
)

// Endpoint is one row of the API.
type Endpoint struct {
	Method  string
	Path    string // with {name} segments
	Summary string // one sentence for OpenAPI

	Auth    Auth
	Scopes  []shop.Scope  // a key needs all of them
	Manage  *shop.Refusal // not nil: the person must be owner or admin, else this
	Contour Contour       // whose rows it works on
	Class   Class

	MaxBody int64 // bytes of a JSON body; 0 means 1 MiB
	Status  int   // of a success; 0 means 200
	Strict  bool  // unknown body fields are refused (site files)
	Sandbox bool  // sandboxed pages of site folders may call it (document 3, 4.2)

	// NotText refuses a body that is no UTF-8 text without NUL, by the field where it is
	// not, "" for all others; nil: INVALID_REQUEST.
	NotText map[string]*shop.Refusal

	OrderLink bool // ?key= of the order that the address names stands in for a session

	OwnBudget bool // counts its callers itself, instead of in the class that a visitor's network has

	SignsIn bool // opens a session, on a shop's host by its cookie: refused where browsers keep none
	Secret  bool // the answer opens a session or shows a secret once, so no repeat of the call hears it
	Outward bool // asks others between its writes, so each of them commits by itself

	Cached bool // answers a Document: 304 to who has it

	Consumes []string // content types of a body that is no JSON
	Produces []string // content types of a Raw answer; empty means JSON

	// Errors is what the endpoint itself may refuse; what follows from the other
	// fields of the row is in Refusals. No test may see a refusal that its row
	// does not list.
	Errors Refusals

	Do Handler
}

// Handler is a typed function wrapped by Handle.
type Handler struct {
	In, Out reflect.Type
	shape   *shape
	run     func(ctx context.Context, c *Call) (any, error)
}

// Handle wraps the function of an endpoint. In is a struct: fields tagged
// `path:"id"` and `query:"page.number"` come from the address, all others from
// the JSON body by their json tags, each within its Bound. Out is written as JSON; None writes {}.
func Handle[In, Out any](f func(ctx context.Context, c *Call, in In) (Out, error)) Handler {
	return Handler{
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](), shape: shapeOf(reflect.TypeFor[In]()),
		run: func(ctx context.Context, c *Call) (any, error) {
			var in In
			if err := c.decode(&in); err != nil {
				return nil, err
			}
			out, err := f(ctx, c, in)
			return out, c.endpoint.located(err)
		},
	}
}

// None is an empty request or answer.
type None struct{}

// Result wraps one object or a list, as most answers do.
type Result[T any] struct {
	Result T `json:"result"`
}

// Wrap is the usual answer.
func Wrap[T any](v T) Result[T] { return Result[T]{v} }

// Page is a page of a list with its totals, which selling answers as one object: inside of
// result (CONTRACT-COMMERCE, "a list").
type Page[T any] struct {
	Items       []T `json:"items"`
	Total       int `json:"total"`
	CurrentPage int `json:"currentPage"`
}

// NewPage is the answer of a list with a page of it: each of the rows as view shows it.
func NewPage[Row, T any](rows []Row, view func(Row) T, total, number int) Result[Page[T]] {
	p := Page[T]{Items: make([]T, 0, len(rows)), Total: total, CurrentPage: number}
	for _, row := range rows {
		p.Items = append(p.Items, view(row))
	}
	return Wrap(p)
}

// List is a page of a list with its totals beside it, as the catalogue and the storefront
// answer it.
type List[T any] struct {
	Result      []T `json:"result"`
	Total       int `json:"total"`
	CurrentPage int `json:"current_page"`
}

// Raw is an answer that is no JSON, or JSON made elsewhere.
type Raw struct {
	ContentType string
	Body        []byte
	File        *os.File // instead of Body, from where it stands; see Spool
	MaxAge      int      // seconds; 0 sends no-store, Revalidate no-cache
	ETag        string   // with its quotes; empty: callers cannot revalidate
}

// Revalidate is the MaxAge of what anybody may keep and has to ask about each time.
const Revalidate = -1

// Document is a Raw answer that callers may keep and revalidate: 304 while the
// body is the one that they have.
func Document(contentType string, body []byte, maxAge int) Raw {
	sum := sha256.Sum256(body)
	return Raw{ContentType: contentType, Body: body, MaxAge: maxAge, ETag: `"` + hex.EncodeToString(sum[:12]) + `"`}
}

// Paging is the pair of parameters every list takes (document 1, 4.2): both or
// neither, number from 1, limit 1 to 100.
type Paging struct {
	Number *int `query:"page.number" json:"-" doc:"the page, from 1; send page.limit beside it"`
	Limit  *int `query:"page.limit" json:"-" doc:"rows of a page, 1 to 100"`
}

// Page returns number and limit, or the refusal INVALID_REQUEST.
func (p Paging) Page(defaultLimit int) (number, limit int, err error) {
	number, limit = 1, defaultLimit
	if p.Number != nil && p.Limit == nil {
		return 0, 0, shop.ErrInvalidRequest.With("page.number needs page.limit beside it")
	}
	if p.Number != nil {
		number = *p.Number
	}
	if p.Limit != nil {
		limit = *p.Limit
	}
	if number < 1 || number > 1_000_000 {
		return 0, 0, shop.ErrInvalidRequest.With("page.number starts at 1")
	}
	if limit < 1 || limit > 100 {
		return 0, 0, shop.ErrInvalidRequest.With("page.limit is 1 to 100")
	}
	return number, limit, nil
}
