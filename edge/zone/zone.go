// Package zone is the guarded zones of a storefront as visitors use them: what
// /cart, /checkout, /orders, /account, /wishlist and /deals show to one of them,
// and what their forms do (document 2; document 3, 4.6.6).
//
// It decides nothing. Each page is read from the API, and each form handed to it,
// as this very visitor: with the cookie, and with the headers that say which page
// has sent the form, so that the API refuses what another site makes a browser
// send. So a page can never show a sum or allow a step that the API would not. A
// form that was done ends with 303, and one that was refused shows its page again
// with everything that was typed. All of it works without a script; the
// storefront's own sends the same forms in place.
//
// What visitors say of products, on the pages of these, goes the same way (remark.go).
//
// Whoever puts something into a cart becomes a guest, with a session of this shop.
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

// MaxForm is how many bytes a form of a zone may send.
const MaxForm = 64 << 10

// Visit is a request for a page of a zone.
type Visit struct {
	API        fasthttp.RequestHandler
	Storefront origin.Storefront
	Request    *fasthttp.RequestHeader
	Socket     net.Addr // of the visitor

	Zone  shop.Zone
	Below string     // what follows the zone in the path, without slashes
	Query url.Values // of the address
	Form  url.Values // that was sent; nil: the page is only looked at

	token   string // of the session; empty: there is none
	cookies []string
	ended   bool // the session that the visitor came with
}

// Answer is what the visitor gets: a page, or the way to another.
type Answer struct {
	Status   int
	Body     render.Buying
	Drawer   bool   // the body is to be drawn alone, as a drawer
	Location string // not empty: a shop path to go on to
	Away     string // not empty: an address of somebody else to go on to, such as a payment provider
	Refresh  int    // seconds after which the page is to be loaded again, from Again; 0: it is not
	Again    string
	Cookies  []string // Set-Cookie fields
	Missing  bool     // there is no such page
	Kept     bool     // what was typed is kept, and there is nothing to show
	Ended    bool     // the visitor came with a session that has ended
}

// room is what a zone does: show its page, and take its forms.
type room struct {
	show func(*Visit) (Answer, error)
	take func(*Visit) (Answer, error)
}

var rooms = map[shop.Zone]room{
	shop.ZoneCart:     {(*Visit).showCart, (*Visit).takeCart},
	shop.ZoneCheckout: {(*Visit).showCheckout, (*Visit).takeCheckout},
	shop.ZoneOrders:   {(*Visit).showOrders, (*Visit).takeOrder},
	shop.ZoneAccount:  {(*Visit).showAccount, (*Visit).takeAccount},
	shop.ZoneWishlist: {(*Visit).showWishlist, (*Visit).takeWishlist},
}

// Has reports whether a zone shows something of its own to each visitor.
func Has(z shop.Zone) bool { return rooms[z].show != nil }

// Answer answers the visit. An error is a fault of ours, or an outage.
func (v *Visit) Answer() (a Answer, err error) {
	v.token = string(v.Storefront.Cookies.Of(v.Request, cookie.Session))
	r := rooms[v.Zone]
	if v.Form == nil {
		a, err = r.show(v)
	} else {
		a, err = r.take(v)
	}
	if a.Status == 0 {
		a.Status = fasthttp.StatusOK
	}
	// The first whole page says that the session has ended; until then the cookie stays.
	if a.Ended = v.ended && len(v.cookies) == 0 && a.Body != nil && !a.Drawer; a.Ended {
		v.setSession("", 0)
	}
	if a.Away != "" && v.token != "" {
		// A browser keeps the page that the visitor leaves, to show it as it was to whoever
		// goes back, unless a cookie has changed since.
		v.setSession(v.token, sessionCookie)
	}
	a.Cookies = v.cookies
	return a, err
}

// sessionCookie is how long a browser keeps the cookie of a session, which ends by itself.
const sessionCookie = 30 * 24 * time.Hour

func (v *Visit) setSession(token string, age time.Duration) {
	var h fasthttp.ResponseHeader
	v.Storefront.Cookies.Set(&h, cookie.Session, token, age)
	v.cookies = append(v.cookies, string(h.PeekCookie(v.Storefront.Cookies.Key(cookie.Session))))
}

// to goes on to another page.
func to(path string) (Answer, error) { return Answer{Location: path}, nil }

// missing is a page that is not there.
func missing() (Answer, error) { return Answer{Missing: true}, nil }

// page shows a body, with the status of what was refused.
func page(body render.Buying, r *refusal) (Answer, error) {
	a := Answer{Body: body}
	if r != nil {
		a.Status = r.Status
	}
	return a, nil
}

// sent is a field of the form without space around it.
func (v *Visit) sent(name string) string { return strings.TrimSpace(v.Form.Get(name)) }

// local is an address of this host from a visitor's hand, the other where it is
// none.
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
