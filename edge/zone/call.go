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

// refusal is an error response of the API.
type refusal struct {
	Status int
	Code   string
}

// trouble converts the refusal for the page, which shows it at a field or at its top.
func (r *refusal) trouble(field string) render.FormError {
	if r == nil {
		return render.FormError{}
	}
	return render.FormError{Code: r.Code, Field: field}
}

// errUnavailable reports that the API cannot answer now.
var errUnavailable = errors.New("the API is unavailable")

// unauthenticated reports whether the call was refused because there is no valid session.
func (r *refusal) unauthenticated() bool { return r != nil && r.Status == fasthttp.StatusUnauthorized }

// call calls the API as the visitor and decodes the response into out, unless out is nil.
// If the API opens a session, later calls use it.
func (v *Visit) call(method, path string, in, out any, headers ...string) (*refusal, error) {
	var call fasthttp.RequestCtx
	h := v.newCall(&call, method)
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
	v.keepSession(&call.Response)
	refused, err := read(&call.Response, out)
	v.ended = v.ended || refused.unauthenticated() && v.token != ""
	if refused.unauthenticated() && v.token != "" && v.key() != "" { // the session has ended, but the link from an e-mail needs none
		v.token = ""
		return v.call(method, path, in, out, headers...)
	}
	return refused, err
}

// newCall prepares a call with the visitor's address and with the headers that tell which
// page has sent the form.
func (v *Visit) newCall(call *fasthttp.RequestCtx, method string) *fasthttp.RequestHeader {
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

// keepSession stores the session that a response opens or ends.
func (v *Visit) keepSession(r *fasthttp.Response) {
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

// read decodes a response of the API.
func read(r *fasthttp.Response, out any) (*refusal, error) {
	status := r.StatusCode()
	if status >= fasthttp.StatusInternalServerError {
		return nil, fmt.Errorf("%w: %d", errUnavailable, status)
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

// result is the usual envelope of a response.
type result[T any] struct {
	Result T `json:"result"`
}

// list is the usual envelope of a list.
type list[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

// ensureSession makes a visitor without a valid session a guest, so that a cart can be kept
// for them.
func (v *Visit) ensureSession() (*refusal, error) {
	if v.token != "" {
		if refused, err := v.call("GET", "/v1/auth/me", nil, nil); err != nil || !refused.unauthenticated() {
			return refused, err
		}
		v.token = "" // the session has expired
	}
	return v.call("POST", "/v1/auth/guest", struct{}{}, nil)
}

// customer is the signed-in customer; nil for guests and visitors without a session.
func (v *Visit) customer() (*render.Person, error) {
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
