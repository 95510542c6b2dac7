// Package zone implements the guarded zones of a storefront: what /cart, /checkout,
// /orders, /account, /wishlist and /deals show to a visitor, and what their forms do
// (document 2; document 3, 4.6.6).
//
// It decides nothing. Each page is read from the API, and each form passed to it, as the
// visitor: with the cookie, and with the headers that tell which page has sent the form, so
// that the API refuses requests that another site makes a browser send. So a page can never
// show a sum or allow a step that the API would not. An accepted form ends with 303, and a
// refused one shows its page again with everything typed. All of it works without scripts;
// the storefront's script sends the same forms in place.
//
// Reviews and questions, which are sent from pages of products, work the same way
// (remark.go).
//
// A visitor who puts something into a cart becomes a guest, with a session of this shop.
package zone

import (
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/cookie"
	"vitrine/internal/origin"
	"vitrine/internal/shop"
	"vitrine/render"
)

// MaxForm is the maximum size of a form of a zone in bytes.
const MaxForm = 64 << 10

// Visit is a request for a page of a zone.
type Visit struct {
	API        fasthttp.RequestHandler
	Storefront origin.Storefront
	Request    *fasthttp.RequestHeader
	Socket     net.Addr // of the visitor

	Zone  shop.Zone
	Below string     // the path after the zone, without slashes
	Query url.Values // of the address
	Form  url.Values // the form that was sent; nil for a request without one

	token   string // of the session; empty: no session
	cookies []string
	ended   bool // the visitor's session has ended
}

// Answer is the response: a page, or a redirect.
type Answer struct {
	Status     int
	Body       render.ZoneBody
	Drawer     bool   // render the body alone, as a drawer
	Location   string // not empty: redirect to this path of the shop
	External   string // not empty: redirect to this external address, such as a payment provider
	Refresh    int    // seconds after which the page must load Again; 0: never
	RefreshURL string
	Cookies    []string // Set-Cookie fields
	Missing    bool     // there is no such page
	NoContent  bool     // the typed fields are stored, and there is nothing to show
	Ended      bool     // the visitor came with a session that has ended
}

// handler shows the page of a zone and handles its forms.
type handler struct {
	show func(*Visit) (Answer, error)
	take func(*Visit) (Answer, error)
}

var handlers = map[shop.Zone]handler{
	shop.ZoneCart:     {(*Visit).showCart, (*Visit).takeCart},
	shop.ZoneCheckout: {(*Visit).showCheckout, (*Visit).takeCheckout},
	shop.ZoneOrders:   {(*Visit).showOrders, (*Visit).takeOrder},
	shop.ZoneAccount:  {(*Visit).showAccount, (*Visit).takeAccount},
	shop.ZoneWishlist: {(*Visit).showWishlist, (*Visit).takeWishlist},
}

// Has reports whether a zone has pages that differ between visitors.
func Has(z shop.Zone) bool { return handlers[z].show != nil }

// Answer answers the visit. An error is an internal failure or an outage.
func (v *Visit) Answer() (a Answer, err error) {
	v.token = string(v.Storefront.Cookies.Value(v.Request, cookie.Session))
	r := handlers[v.Zone]
	if v.Form == nil {
		a, err = r.show(v)
	} else {
		a, err = r.take(v)
	}
	if a.Status == 0 {
		a.Status = fasthttp.StatusOK
	}
	// Report the ended session on the first complete page; keep the cookie until then.
	if a.Ended = v.ended && len(v.cookies) == 0 && a.Body != nil && !a.Drawer; a.Ended {
		v.setSession("", 0)
	}
	if a.External != "" && v.token != "" {
		// A browser restores the page as it was when the visitor navigates back to it,
		// unless a cookie has changed since.
		v.setSession(v.token, sessionCookie)
	}
	a.Cookies = v.cookies
	return a, err
}

// sessionCookie is the lifetime of the cookie of a session, which expires on its own.
const sessionCookie = 30 * 24 * time.Hour

func (v *Visit) setSession(token string, age time.Duration) {
	var h fasthttp.ResponseHeader
	v.Storefront.Cookies.Set(&h, cookie.Session, token, age)
	v.cookies = append(v.cookies, string(h.PeekCookie(v.Storefront.Cookies.Key(cookie.Session))))
}

// to redirects to another page.
func to(path string) (Answer, error) { return Answer{Location: path}, nil }

// missing answers that the page does not exist.
func missing() (Answer, error) { return Answer{Missing: true}, nil }

// page answers with a body, and with the status of the refusal if there is one.
func page(body render.ZoneBody, r *refusal) (Answer, error) {
	a := Answer{Body: body}
	if r != nil {
		a.Status = r.Status
	}
	return a, nil
}

// sent is a form field without surrounding space.
func (v *Visit) sent(name string) string { return strings.TrimSpace(v.Form.Get(name)) }

// local returns an untrusted address if it is on this host, and other otherwise.
func local(address, other string) string {
	if len(address) < 2 || len(address) > 2000 || address[0] != '/' || address[1] == '/' || address[1] == '\\' {
		return other
	}
	for i := range len(address) {
		if address[i] <= ' ' || address[i] >= 0x7f || address[i] == '\\' {
			return other
		}
	}
	return address
}
