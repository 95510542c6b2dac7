package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"vitrine/internal/shop"

	"vitrine/compile/lead"
)

// AppendDrawer prints the cart of a page alone, as a dialog of its language. An
// error is a fault of the templates; dst is then returned unchanged.
func AppendDrawer(dst []byte, p *ZonePage) ([]byte, error) {
	w := &writer{out: dst, view: newView(p)}
	w.draw("cart-drawer")
	if w.err != nil {
		return dst, fmt.Errorf("drawing the drawer of the cart: %w", w.err)
	}
	return w.out, nil
}

// ZoneText is what the page of a guarded zone says where it has nothing to show.
func (v *view) ZoneText() zoneWords { return v.T.zone(v.Zone()) }

// Zone is the guarded zone that the page stands in.
func (v *view) Zone() shop.Zone {
	if p, ok := v.Page.(*ZonePage); ok {
		return p.Zone
	}
	return shop.ZoneAccount
}

// ZoneName is what the page of another zone is called.
func (v *view) ZoneName(z shop.Zone) string { return v.T.zone(z).Name }

// AtHome reports whether the page is the home page, whose path stands for what has none.
func (v *view) AtHome() bool {
	switch v.Page.(type) {
	case *NotFoundPage, *RemarkPage:
		return false
	}
	return v.Path == "/"
}

// ToAccount is the menu's way to the visitor's account.
func (v *view) ToAccount() MenuItem {
	p, ok := v.Page.(*ZonePage)
	return MenuItem{Name: v.T.Account, Path: "/account", Current: ok && p.Zone == shop.ZoneAccount}
}

// Body is what a page of a guarded zone shows to this visitor.
func (v *view) Body() Buying {
	if p, ok := v.Page.(*ZonePage); ok {
		return p.Body
	}
	return nil
}

// Sum prints a sum of money, of which zero is one too.
func (v *view) Sum(amount int64) string { return v.SumOf(amount, v.Shop.Currency) }

// SumOf is Sum in a currency that need not be the shop's any more.
func (v *view) SumOf(amount int64, currency string) string {
	return SumText(amount, currency, v.Shop.Digits, v.T.Lang)
}

// TaxIn is the part of a sum that is the shop's tax, in words; empty where it has none.
func (v *view) TaxIn(sum int64, currency string) string {
	return v.T.tax(v.Shop.Face.Tax, v.Shop.Face.Tax.In(sum), currency, v.Shop.Digits)
}

// TaxOf is the tax that an order contains, in words; empty where it has none.
func (v *view) TaxOf(o *Order) string {
	if o.Tax == nil {
		return ""
	}
	return v.T.tax(shop.Tax{Name: o.Tax.Name, Points: int64(math.Round(o.Tax.Percent * 100))}, o.Tax.Amount, o.Currency, v.Shop.Digits)
}

// Cost prints what a delivery costs.
func (v *view) Cost(amount int64) string {
	if amount == 0 {
		return v.T.Buy.DeliveryFree
	}
	return v.Sum(amount)
}

// sumsView is a cart beside what prints its totals.
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

// Tax is what the total contains of it; empty where a sum with the delivery says that.
func (v sumsView) Tax() string {
	if c, ok := v.Body().(*Checkout); ok && c.Chosen() != nil {
		return ""
	}
	return v.TaxIn(v.Cart.Subtotal, v.Shop.Currency)
}

// lineView is a line of a cart beside what prints it.
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
}

// fieldMost is how long what stands in a field may be.
var fieldMost = map[string]int{"phone": 64, "email": 254}

// Most is how many characters the field takes.
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

// Pattern is what browsers hold the value to, as on the shop's forms.
func (f fieldView) Pattern() string {
	if f.Name == "phone" {
		return lead.PhonePattern
	}
	return ""
}

// Field is a field of a form, with what is wrong with it.
func (v *view) Field(name, label, value, autocomplete, required string) fieldView {
	f := fieldView{Name: name, Label: label, Value: value, Autocomplete: autocomplete, Required: required != "", Optional: v.T.Buy.Optional}
	if t := troubleOf(v.Body()); t.Field == name {
		f.Wrong = v.T.Buy.Trouble(t.Code)
	}
	return f
}

// Must is a field that is needed where it is shown, which the browser does not
// know.
func (v *view) Must(name, label, value, autocomplete string) fieldView {
	f := v.Field(name, label, value, autocomplete, "")
	f.Optional = ""
	return f
}

func troubleOf(b Buying) Trouble {
	switch b := b.(type) {
	case *Checkout:
		return b.Trouble
	case *Account:
		return b.Trouble
	}
	return Trouble{}
}

// Wrong is what is wrong with a form of the account, empty for all but the one
// that was sent.
func (v *view) Wrong(form string) string {
	if a, ok := v.Body().(*Account); ok && a.At == form {
		return v.T.Buy.Trouble(a.Trouble.Code)
	}
	return ""
}

// Done says what was done with the account.
func (v *view) Done(what string) string {
	b := &v.T.Buy
	return map[string]string{"saved": b.Saved, "forgot": b.ForgotSent, "reset": b.ResetDone, "removed": b.AccountGone, "asked": b.CodeSentNote,
		"email": b.EmailAsked}[what]
}

// Reduced is the grid of the deals.
func (v *view) Reduced(products []ProductCard) productGridView {
	return v.productGrid(ProductGrid{Products: products}, 0)
}

// IDs are the products that are kept in mind, for the script.
func (w *Wishlist) IDs() string {
	ids := make([]string, len(w.Items))
	for i, item := range w.Items {
		ids[i] = strconv.FormatInt(item.Product, 10)
	}
	return strings.Join(ids, " ")
}

// Gallery is the product's pictures, its card's picture where it has no other.
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

// Cover is the picture of the product as large as a page shows it.
func (v *view) Cover() string {
	if p, ok := v.Page.(*ProductPage); ok && p.Product.cover().Path != "" {
		return p.Product.cover().Resized(1024)
	}
	return ""
}
