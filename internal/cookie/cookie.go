// Package cookie implements the rule by which cookies are set on the hosts of shops and on the
// admin origin (CONTRACT, "Hands and agents", Cookies).
package cookie

import (
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
)

// Name is the name of a cookie in its local and its secure spelling.
type Name struct{ local, secure string }

// Named returns the Name of a cookie.
func Named(name string) Name { return Name{name, "__Host-" + name} }

// Session is the cookie with the session of a visitor.
var Session = Named("vitrine-session")

// Admin is the cookie with the session of a person on the admin origin.
var Admin = Named("vitrine")

// Present reports whether a request has a cookie of the name, under any rule. It is for code
// that only needs to be careful, and grants nothing.
func (n Name) Present(h *fasthttp.RequestHeader) bool {
	return len(h.Cookie(n.secure)) > 0 || len(h.Cookie(n.local)) > 0
}

// Rule is the kind of cookies that a browser keeps at the visited address.
type Rule uint8

// The rules.
const (
	None   Rule = iota // plain http at a name that browsers do not trust: nothing
	Local              // plain http at localhost or below it
	Secure             // https: the cookie is bound to the host, so that no other host can set it
)

// For returns the rule for a host without a port.
func For(https bool, host string) Rule {
	switch {
	case https:
		return Secure
	case host == "localhost", strings.HasSuffix(host, ".localhost"):
		return Local
	}
	return None
}

// Key is the name of a cookie under the rule.
func (r Rule) Key(n Name) string {
	if r == Secure {
		return n.secure
	}
	return n.local
}

// Value returns the value of a cookie of a request, empty if there is none. Under None it
// returns none: the cookie was not set here.
func (r Rule) Value(h *fasthttp.RequestHeader, n Name) []byte {
	if r == None {
		return nil
	}
	return h.Cookie(r.Key(n))
}

// Set sets a cookie for a duration, or deletes it if age is 0. Scripts cannot read it, and
// forms of other sites do not send it.
func (r Rule) Set(h *fasthttp.ResponseHeader, n Name, value string, age time.Duration) {
	switch r {
	case Local:
		r.set(h, n, value, age, "; SameSite=Lax")
	case Secure:
		r.set(h, n, value, age, "; Secure; SameSite=Lax")
	}
}

// SetStrict is Set for a cookie that only pages of the host itself send.
func (r Rule) SetStrict(h *fasthttp.ResponseHeader, n Name, value string, age time.Duration) {
	switch r {
	case Local:
		r.set(h, n, value, age, "; SameSite=Strict")
	case Secure:
		r.set(h, n, value, age, "; Secure; SameSite=Strict")
	}
}

// SetFramed is Set for a cookie that a frame of another origin needs as well, which
// browsers keep only if it is secure.
func (r Rule) SetFramed(h *fasthttp.ResponseHeader, n Name, value string, age time.Duration) {
	r.set(h, n, value, age, "; Secure; SameSite=None; Partitioned")
}

func (r Rule) set(h *fasthttp.ResponseHeader, n Name, value string, age time.Duration, rest string) {
	ends := "Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT"
	if age > 0 {
		ends = "Max-Age=" + strconv.FormatInt(int64((age+time.Second-1)/time.Second), 10)
	}
	h.Add(fasthttp.HeaderSetCookie, r.Key(n)+"="+value+"; Path=/; "+ends+"; HttpOnly"+rest)
}
