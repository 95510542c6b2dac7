// Package backend makes the calls of the API that a visitor's pages need: typed functions
// around requests that stay inside the process. It is the only place of the edge that knows the
// API's addresses and encodes and decodes its JSON.
//
// A call is made as the visitor: with the session, and with the headers that tell which page
// has sent a form, so that the API refuses requests that another site makes a browser send.
// Whether a call is allowed is decided by the API alone.
package backend

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/cookie"
	"vitrine/internal/origin"
)

// Visitor makes the calls of one request of a visitor. If the API opens a session, later calls
// use it.
type Visitor struct {
	api        fasthttp.RequestHandler
	storefront origin.Storefront
	request    *fasthttp.RequestHeader
	socket     net.Addr

	// OrderKey is the key in the link of an e-mail, which opens one order without a session;
	// empty if there is none.
	OrderKey string

	token   string // of the session; empty: no session
	cookies []string
	ended   bool // the visitor's session has ended
}

// New returns the visitor who has sent a request through a socket to a shop's host.
func New(api fasthttp.RequestHandler, storefront origin.Storefront, request *fasthttp.RequestHeader, socket net.Addr) *Visitor {
	v := &Visitor{api: api, storefront: storefront, request: request, socket: socket}
	v.storefront.Inside = true
	v.token = string(storefront.Cookies.Value(request, cookie.Session))
	return v
}

// Refusal is an error response of the API.
type Refusal struct {
	Status int
	Code   string      // empty if the API did not name one
	Lead   LeadTrouble // of a form
}

// Unauthenticated reports whether the call was refused because there is no valid session. A wrong
// password or code has the same status, but says nothing about the session.
func (r *Refusal) Unauthenticated() bool { return r != nil && r.Code == "UNAUTHENTICATED" }

// ErrUnavailable reports that the API cannot answer now.
var ErrUnavailable = errors.New("the API is unavailable")

// HasSession reports whether the visitor has a session, as far as it is known.
func (v *Visitor) HasSession() bool { return v.token != "" }

// SessionEnded reports whether the visitor came with a session that has ended, and has no new
// one.
func (v *Visitor) SessionEnded() bool { return v.ended && len(v.cookies) == 0 }

// Cookies are the Set-Cookie fields that keep the visitor's session.
func (v *Visitor) Cookies() []string { return v.cookies }

// sessionCookie is the lifetime of the cookie of a session, which expires on its own.
const sessionCookie = 30 * 24 * time.Hour

// DropCookie makes the browser forget the session.
func (v *Visitor) DropCookie() { v.setCookie("", 0) }

// RenewCookie sets the cookie of the session again.
func (v *Visitor) RenewCookie() { v.setCookie(v.token, sessionCookie) }

func (v *Visitor) setCookie(token string, age time.Duration) {
	var h fasthttp.ResponseHeader
	v.storefront.Cookies.Set(&h, cookie.Session, token, age)
	v.cookies = append(v.cookies, string(h.PeekCookie(v.storefront.Cookies.Key(cookie.Session))))
}

// request is one call.
type request struct {
	method, path string
	in           any       // body, sent as JSON; nil: none
	stream       io.Reader // body of a file, instead of in
	attempt      string    // Idempotency-Key; empty: none
	anonymous    bool      // without the session
}

// empty is the body of a call that has no fields.
type empty struct{}

// result is the usual envelope of a response.
type result[T any] struct {
	Result T `json:"result"`
}

// call makes a call and decodes the response into out, unless out is nil; a response that is no
// JSON is copied to a *[]byte.
func (v *Visitor) call(r request, out any) (*Refusal, error) {
	var call fasthttp.RequestCtx
	call.Init(&fasthttp.Request{}, v.socket, nil)
	if err := v.write(&call.Request, r); err != nil {
		return nil, err
	}
	origin.Mark(&call, v.storefront)
	v.api(&call)
	v.keepSession(&call.Response)
	refused, err := read(&call.Response, out)
	if refused.Unauthenticated() && v.token != "" && !r.anonymous {
		v.ended = true
		if v.OrderKey != "" { // the link from an e-mail needs no session
			v.token = ""
			return v.call(r, out)
		}
	}
	return refused, err
}

func (v *Visitor) write(to *fasthttp.Request, r request) error {
	h := &to.Header
	h.SetMethod(r.method)
	h.SetHostBytes(v.request.Host())
	for _, name := range [...]string{fasthttp.HeaderOrigin, "Sec-Fetch-Site"} {
		if value := v.request.Peek(name); len(value) > 0 {
			h.SetBytesV(name, value)
		}
	}
	if v.token != "" && !r.anonymous {
		h.SetCookie(v.storefront.Cookies.Key(cookie.Session), v.token)
	}
	if r.attempt != "" {
		h.Set("Idempotency-Key", r.attempt)
	}
	to.SetRequestURI(r.path)
	switch {
	case r.stream != nil:
		h.SetContentType("application/octet-stream")
		to.SetBodyStream(r.stream, -1)
	case r.in != nil:
		body, err := json.Marshal(r.in)
		if err != nil {
			return err
		}
		h.SetContentType("application/json")
		h.SetContentLength(len(body))
		to.SetBody(body)
	}
	return nil
}

// keepSession stores the session that a response opens or ends.
func (v *Visitor) keepSession(r *fasthttp.Response) {
	line := string(r.Header.PeekCookie(v.storefront.Cookies.Key(cookie.Session)))
	if line == "" {
		return
	}
	v.cookies = append(v.cookies, line)
	var c fasthttp.Cookie
	if c.Parse(line) == nil {
		v.token = string(c.Value())
	}
}

// read decodes a response of the API.
func read(r *fasthttp.Response, out any) (*Refusal, error) {
	status := r.StatusCode()
	switch {
	case status >= fasthttp.StatusInternalServerError:
		return nil, fmt.Errorf("%w: %d", ErrUnavailable, status)
	case status < fasthttp.StatusBadRequest && out == nil:
		return nil, nil
	case status < fasthttp.StatusBadRequest:
		if page, raw := out.(*[]byte); raw {
			*page = append([]byte{}, r.Body()...)
			return nil, nil
		}
		return nil, json.Unmarshal(r.Body(), out)
	}
	refused := &Refusal{Status: status}
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(r.Body(), &said) == nil {
		_, code, _ := strings.Cut(said.Error, "desc = ")
		code, _, _ = strings.Cut(code, ":")
		refused.Code = strings.TrimSpace(code)
	}
	if json.Unmarshal(r.Body(), &refused.Lead) != nil {
		refused.Lead = LeadTrouble{} // fields of the same names in refusals that are not about forms
	}
	return refused, nil
}

// get makes a call that reads, and returns what is in the result.
func get[T any](v *Visitor, path string) (T, *Refusal, error) {
	return send[T](v, request{method: fasthttp.MethodGet, path: path})
}

// send makes a call and returns what is in the result.
func send[T any](v *Visitor, r request) (T, *Refusal, error) {
	var out result[T]
	refused, err := v.call(r, &out)
	return out.Result, refused, err
}

// path appends escaped segments to an address of the API.
func path(base string, segments ...string) string {
	for _, s := range segments {
		base += "/" + url.PathEscape(s)
	}
	return base
}
