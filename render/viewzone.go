package render

import (
	"fmt"
	"strconv"
	"strings"

	"vitrine/internal/shop"

	"vitrine/compile/lead"
)

// AppendDrawer prints the cart of a page alone, as a dialog in the page's language. An error
// means a fault in the templates; dst is then returned unchanged.
func AppendDrawer(dst []byte, p *ZonePage) ([]byte, error) {
	w := &writer{out: dst, view: newView(p)}
	w.draw("cart-drawer")
	if w.err != nil {
		return dst, fmt.Errorf("drawing the drawer of the cart: %w", w.err)
	}
	return w.out, nil
}

// ZoneText is the text of an empty page of a guarded zone.
func (v *view) ZoneText() zoneWords { return v.T.zone(v.Zone()) }

// Zone is the guarded zone of the page.
func (v *view) Zone() shop.Zone {
	if p, ok := v.Page.(*ZonePage); ok {
		return p.Zone
	}
	return shop.ZoneAccount
}

// ZoneName is the name of a zone's page.
func (v *view) ZoneName(z shop.Zone) string { return v.T.zone(z).Name }

// AtHome reports whether the page is the home page. Pages without a path use the home page's,
// so they are excluded by type.
func (v *view) AtHome() bool {
	switch v.Page.(type) {
	case *NotFoundPage, *RemarkPage:
		return false
	}
	return v.Path == "/"
}

// ToAccount is the menu item of the visitor's account.
func (v *view) ToAccount() MenuItem {
	p, ok := v.Page.(*ZonePage)
	return MenuItem{Name: v.T.Account, Path: "/account", Current: ok && p.Zone == shop.ZoneAccount}
}

// Body is the visitor's data on a page of a guarded zone.
func (v *view) Body() ZoneBody {
	if p, ok := v.Page.(*ZonePage); ok {
		return p.Body
	}
	return nil
}

// Sum formats a sum of money, including zero.
func (v *view) Sum(amount int64) string { return v.SumOf(amount, v.Shop.Currency) }

// SumOf is Sum in a currency, which may differ from the shop's current one.
func (v *view) SumOf(amount int64, currency string) string {
	return SumText(amount, currency, v.Shop.Digits, v.T.Lang)
}

// TaxText lists the taxes that a sum contains or that are added to it; empty if there are none.
func (v *view) TaxText(list []shop.Tax, added bool, currency string) string {
	return v.T.taxes(list, added, currency, v.Shop.Digits)
}

// Cost formats the price of a delivery.
func (v *view) Cost(amount int64) string {
	if amount == 0 {
		return v.T.Buy.DeliveryFree
	}
	return v.Sum(amount)
}

// sumsView is the data of the template of a cart's totals.
type sumsView struct {
	*view
	Cart *Cart
}

// Sums is the totals of the cart on the page.
func (v *view) Sums() sumsView {
	if c, ok := v.Body().(*Checkout); ok {
		return sumsView{v, &c.Cart}
	}
	return sumsView{v, v.Body().(*Cart)}
}

// Tax lists the taxes of the goods; empty if the total including delivery shows them.
func (v sumsView) Tax() string {
	if c, ok := v.Body().(*Checkout); ok && c.Chosen() != nil {
		return ""
	}
	return v.TaxText(v.Cart.Taxes, v.Cart.TaxAdded(), v.Shop.Currency)
}

// lineView is the data of the template of a cart line.
type lineView struct {
	*view
	Line *CartLine
}

// Line is a line of the cart on the page.
func (v *view) Line(l *CartLine) lineView { return lineView{v, l} }

// fieldView is a field of a form.
type fieldView struct {
	Name, Label, Value, Autocomplete, Optional, Wrong string
	Required                                          bool
	Place                                             bool // deliveries depend on it
}

// fieldMost holds the maximum lengths of fields.
var fieldMost = map[string]int{"phone": 64, "email": 254, "vat_number": 64}

// Most is the maximum length of the field's value.
func (f fieldView) Most() int { return max(fieldMost[f.Name], 254) }

// Type is the type of the input.
func (f fieldView) Type() string {
	switch f.Name {
	case "phone":
		return "tel"
	case "email":
		return f.Name
	}
	return "text"
}

// Pattern is the pattern that browsers check the value against, as on the shop's forms.
func (f fieldView) Pattern() string {
	if f.Name == "phone" {
		return lead.PhonePattern
	}
	return ""
}

// Field is a field of a form with its error.
func (v *view) Field(name, label, value, autocomplete, required string) fieldView {
	f := fieldView{Name: name, Label: label, Value: value, Autocomplete: autocomplete, Required: required != "", Optional: v.T.Buy.Optional}
	if t := troubleOf(v.Body()); t.Field == name {
		f.Wrong = v.T.Buy.Trouble(t.Code)
	}
	return f
}

// RequiredField is a field that is required while it is shown. The browser does not enforce it,
// because the field may be hidden.
func (v *view) RequiredField(name, label, value, autocomplete string) fieldView {
	f := v.Field(name, label, value, autocomplete, "")
	f.Optional = ""
	return f
}

// PlaceField is a field on which the deliveries of a checkout depend.
func (v *view) PlaceField(name, label, value, autocomplete string) fieldView {
	f := v.Field(name, label, value, autocomplete, "")
	f.Place = true
	return f
}

func troubleOf(b ZoneBody) FormError {
	switch b := b.(type) {
	case *Checkout:
		return b.Trouble
	case *Account:
		return b.Trouble
	case *Link:
		return b.Trouble
	}
	return FormError{}
}

// Wrong is the error of a form of the account page, empty for all forms except the submitted
// one.
func (v *view) Wrong(form string) string {
	if a, ok := v.Body().(*Account); ok && a.At == form {
		return v.T.Buy.Trouble(a.Trouble.Code)
	}
	return ""
}

// Done describes the change made to the account.
func (v *view) Done(what string) string {
	b := &v.T.Buy
	return map[string]string{"saved": b.Saved, "forgot": b.ForgotSent, "reset": b.ResetDone, "removed": b.AccountGone, "asked": b.CodeSentNote,
		"email": b.EmailAsked, "unlinked": b.Unlinked}[what]
}

// Reduced is the grid of the deals page.
func (v *view) Reduced(products []ProductCard) productGridView {
	return v.productGrid(ProductGrid{Products: products}, 0)
}

// IDs lists the ids of the products on the wishlist, for the script.
func (w *Wishlist) IDs() string {
	ids := make([]string, len(w.Items))
	for i, item := range w.Items {
		ids[i] = strconv.FormatInt(item.Product, 10)
	}
	return strings.Join(ids, " ")
}

// Gallery lists the product's pictures, or its card's picture if there is no other.
func (v *view) Gallery() []Image {
	p, ok := v.Page.(*ProductPage)
	switch {
	case !ok:
		return nil
	case len(p.Product.Gallery) == 0 && p.Product.Image.Path != "":
		return []Image{p.Product.Image}
	}
	return p.Product.Gallery
}

// Cover is the address of the product's picture at the size shown on a page.
func (v *view) Cover() string {
	if p, ok := v.Page.(*ProductPage); ok && p.Product.cover().Path != "" {
		return p.Product.cover().Resized(1024)
	}
	return ""
}
