package zone

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/internal/cookie"
	"vitrine/internal/origin"
	"vitrine/render"
)

// refusal is what the API answers in place of what it was asked for.
type refusal struct {
	Status int
	Code   string
}

// trouble is the refusal as the page shows it, at a field or at its top.
func (r *refusal) trouble(field string) render.Trouble {
	if r == nil {
		return render.Trouble{}
	}
	return render.Trouble{Code: r.Code, Field: field}
}

// errAway says that the API cannot answer now.
var errAway = errors.New("the API is away")

// unknown is the refusal of who is not signed in.
func (r *refusal) unknown() bool { return r != nil && r.Status == fasthttp.StatusUnauthorized }

// call asks the API as the visitor. What it answers is put into out, where that is
// not nil; a session that it opens is the visitor's from then on.
func (v *Visit) call(method, path string, in, out any, headers ...string) (*refusal, error) {
	var call fasthttp.RequestCtx
	h := v.begin(&call, method)
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	if v.token != "" {
		h.SetCookie(v.Storefront.Cookies.Key(cookie.Session), v.token)
	}
	call.Request.SetRequestURI(path)
	if in != nil {
		body, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		h.SetContentType("application/json")
		h.SetContentLength(len(body))
		call.Request.SetBody(body)
	}
	origin.Mark(&call, v.Storefront)
	v.API(&call)
	v.keep(&call.Response)
	refused, err := read(&call.Response, out)
	v.ended = v.ended || refused.unknown() && v.token != ""
	if refused.unknown() && v.token != "" && v.key() != "" { // the session has ended, which the link of a letter does not need
		v.token = ""
		return v.call(method, path, in, out, headers...)
	}
	return refused, err
}

// begin is a call from where the visitor is, with the headers that say which page has
// sent the form.
func (v *Visit) begin(call *fasthttp.RequestCtx, method string) *fasthttp.RequestHeader {
	call.Init(&fasthttp.Request{}, v.Socket, nil)
	h := &call.Request.Header
	h.SetMethod(method)
	h.SetHostBytes(v.Request.Host())
	for _, name := range [...]string{fasthttp.HeaderOrigin, "Sec-Fetch-Site"} {
		if value := v.Request.Peek(name); len(value) > 0 {
			h.SetBytesV(name, value)
		}
	}
	return h
}

// keep passes on the session that an answer opens or ends.
func (v *Visit) keep(r *fasthttp.Response) {
	line := string(r.Header.PeekCookie(v.Storefront.Cookies.Key(cookie.Session)))
	if line == "" {
		return
	}
	v.cookies = append(v.cookies, line)
	var c fasthttp.Cookie
	if c.Parse(line) == nil {
		v.token = string(c.Value())
	}
}

// read takes an answer apart.
func read(r *fasthttp.Response, out any) (*refusal, error) {
	status := r.StatusCode()
	if status >= fasthttp.StatusInternalServerError {
		return nil, fmt.Errorf("%w: %d", errAway, status)
	}
	if status < fasthttp.StatusBadRequest {
		if out == nil {
			return nil, nil
		}
		return nil, json.Unmarshal(r.Body(), out)
	}
	var said struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(r.Body(), &said); err != nil {
		return nil, err
	}
	_, code, _ := strings.Cut(said.Error, "desc = ")
	code, _, _ = strings.Cut(code, ":")
	return &refusal{status, strings.TrimSpace(code)}, nil
}

// result is the usual wrapping of an answer.
type result[T any] struct {
	Result T `json:"result"`
}

// list is the usual wrapping of a list.
type list[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

// enter makes the visitor a guest who has no session, so that there is something
// to keep a cart by.
func (v *Visit) enter() (*refusal, error) {
	if v.token != "" {
		if refused, err := v.call("GET", "/v1/auth/me", nil, nil); err != nil || !refused.unknown() {
			return refused, err
		}
		v.token = "" // of a session that is over
	}
	return v.call("POST", "/v1/auth/guest", struct{}{}, nil)
}

// person is who has the session; nil for nobody and for a guest.
func (v *Visit) person() (*render.Person, error) {
	if v.token == "" {
		return nil, nil
	}
	var who result[render.Person]
	refused, err := v.call("GET", "/v1/auth/me", nil, &who)
	if err != nil || refused != nil || who.Result.Email == "" {
		return nil, err
	}
	return &who.Result, nil
}
