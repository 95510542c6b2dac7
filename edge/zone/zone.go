// Package zone implements the guarded zones of a storefront: what /cart, /checkout,
// /orders, /account, /wishlist and /deals show to a visitor, and what their forms do
// (document 2; document 3, 4.6.6).
//
// It decides nothing. Each page is read from the API, and each form passed to it, as the
// visitor (package backend). So a page can never show a sum or allow a step that the API would
// not. An accepted form ends with 303, and a
// refused one shows its page again with everything typed. All of it works without scripts;
// the storefront's script sends the same forms in place.
//
// Reviews and questions, which are sent from pages of products, work the same way
// (remark.go).
//
// A visitor who puts something into a cart becomes a guest, with a session of this shop.
package zone

import (
	"net/url"
	"strings"

	"github.com/valyala/fasthttp"

	"vitrine/edge/backend"
	"vitrine/internal/shop"
	"vitrine/render"
)

// MaxForm is the maximum size of a form of a zone in bytes.
const MaxForm = 64 << 10

// Visit is a request for a page of a zone.
type Visit struct {
	Backend *backend.Visitor

	Zone  shop.Zone
	Below string     // the path after the zone, without slashes
	Query url.Values // of the address
	Form  url.Values // the form that was sent; nil for a request without one

	Preview bool // made before or without a person who wants the page: a HEAD, a prefetch, the preview of a link
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
	Paper      []byte   // a complete page to print, with render.PaperPolicy
	NoContent  bool     // the typed fields are stored, and there is nothing to show
	Ended      bool     // the visitor came with a session that has ended
	FromLink   bool     // the address has a secret: no other page may learn it
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
	v.Backend.OrderKey = v.key()
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
	if a.Ended = v.Backend.SessionEnded() && a.Body != nil && !a.Drawer; a.Ended {
		v.Backend.DropCookie()
	}
	if a.External != "" && v.Backend.HasSession() {
		// A browser restores the page as it was when the visitor navigates back to it,
		// unless a cookie has changed since.
		v.Backend.RenewCookie()
	}
	a.Cookies = v.Backend.Cookies()
	return a, err
}

// to redirects to another page.
func to(path string) (Answer, error) { return Answer{Location: path}, nil }

// missing answers that the page does not exist.
func missing() (Answer, error) { return Answer{Missing: true}, nil }

// page answers with a body, and with the status of the refusal if there is one.
func page(body render.ZoneBody, r *backend.Refusal) (Answer, error) {
	a := Answer{Body: body}
	if r != nil {
		a.Status = r.Status
	}
	return a, nil
}

// trouble converts a refusal for the page, which shows it at a field or at its top.
func trouble(r *backend.Refusal, field string) render.FormError {
	if r == nil {
		return render.FormError{}
	}
	return render.FormError{Code: r.Code, Field: field}
}

// invalid is the refusal of a form that no page of the shop sends.
var invalid = &backend.Refusal{Status: fasthttp.StatusBadRequest, Code: "INVALID_REQUEST"}

// sent is a form field without surrounding space.
func (v *Visit) sent(name string) string { return strings.TrimSpace(v.Form.Get(name)) }

// maxNext is the maximum size of an address to return to; that of a request to link an assistant is
// long.
const maxNext = 8000

// local returns an untrusted address if it is on this host, and other otherwise.
func local(address, other string) string {
	if len(address) < 2 || len(address) > maxNext || address[0] != '/' || address[1] == '/' || address[1] == '\\' {
		return other
	}
	for i := range len(address) {
		if address[i] <= ' ' || address[i] >= 0x7f || address[i] == '\\' {
			return other
		}
	}
	return address
}
