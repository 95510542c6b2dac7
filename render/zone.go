package render

import (
	"strconv"

	"vitrine/internal/shop"
)

// Buying is what the page of a guarded zone shows to one visitor: one of the
// types of the files zone*.go. Their JSON names are the API's, from
// whose answers they are read.
type Buying interface{ drawing() string }

// Trouble is what kept a form of a zone from being done: the code of the API's
// refusal, and the field that it is about where it is about one.
type Trouble struct {
	Code  string
	Field string
}

// Cart is the page /cart, and the drawer that opens beside any other page.
type Cart struct {
	Lines    []CartLine `json:"items"`
	Subtotal int64      `json:"subtotal"`
	Discount int64      `json:"discount_total"`
	Applied  []Applied  `json:"applied"`
	Missing  []Missing  `json:"missing"`
	FreeFrom int64      `json:"-"` // from what sum the usual delivery is free; 0: it always is, or never
	Code     string     `json:"promo_code"`
	Rejected string     `json:"promo_rejected"`
	Units    int64      `json:"count"`
	Trouble  Trouble    `json:"-"`
}

// VisitorStylePath is the style sheet that shows browsers without scripts what is the
// visitor's own. Pages link to it and stay the same for everybody.
const VisitorStylePath = "/_vitrine/visitor.css"

// VisitorStyle is that style sheet: it shows how many units the cart holds, and hides the
// links to sign in from visitors who have signed in.
func VisitorStyle(units int64, signedIn bool) string {
	var rules string
	switch {
	case units > 99:
		rules = `.v-count[hidden]{display:block}.v-count::after{content:"99+"}`
	case units > 0:
		rules = `.v-count[hidden]{display:block}.v-count::after{content:"` + strconv.FormatInt(units, 10) + `"}`
	}
	if signedIn {
		rules += `[data-v-who]:has(a){display:none}`
	}
	if rules == "" {
		return ""
	}
	return "@layer storefront{" + rules + "}"
}

// CartLine is a line of a cart.
type CartLine struct {
	Product   int64  `json:"product_id"`
	Key       string `json:"key"`
	Quantity  int64  `json:"quantity"`
	Name      string `json:"name"`
	URL       string `json:"url"`
	Image     string `json:"image"`
	Unit      Priced `json:"price"`
	Base      int64  `json:"base_unit_price"` // 0: not reduced
	Total     int64  `json:"total"`
	InStock   bool   `json:"in_stock"`
	Available *int64 `json:"available"` // nil: not tracked
	IsGift    bool   `json:"is_gift"`
	Parts     []Part `json:"combo_items"`

	Clipped bool `json:"-"` // the buyer wanted more than there is
}

// Priced is what a line costs for one unit.
type Priced struct {
	Price         int64  `json:"price"`
	OldPrice      int64  `json:"old_price"`
	PromotionName string `json:"promotion_name"`
}

// Part is a component of a set.
type Part struct {
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
	URL      string `json:"-"` // of its page; empty: none, or not told
}

// Applied is a discount of a cart or an order.
type Applied struct {
	Name   string `json:"name"`
	Code   string `json:"code"`
	Amount int64  `json:"amount"`
}

// Missing is what a promotion still asks for: money, or units.
type Missing struct {
	Name     string `json:"name"`
	Amount   int64  `json:"amount"`
	Quantity int64  `json:"quantity"`
}

// ToFree is what is missing for a free delivery; 0: nothing, or there is none.
func (c *Cart) ToFree() int64 {
	if len(c.Lines) == 0 {
		return 0
	}
	return max(c.FreeFrom-c.Subtotal, 0)
}

// Before is the total that is struck through where there is a discount
// (document 2, 2.1).
func (c *Cart) Before() int64 { return c.Subtotal + c.Discount }

// Short reports whether a line asks for more than there is.
func (c *Cart) Short() bool {
	for i := range c.Lines {
		if c.Lines[i].Short() {
			return true
		}
	}
	return false
}

// Short reports whether the line asks for more than there is.
func (l *CartLine) Short() bool { return l.Available != nil && *l.Available < l.Quantity }

// Left is how many there are of a line that asks for more.
func (l *CartLine) Left() int64 { return *l.Available }

// Less and More are the quantities of the buttons beside a line's.
func (l *CartLine) Less() int64 { return max(l.Quantity-1, 1) }

// More is one unit more, as far as a line goes.
func (l *CartLine) More() int64 { return min(l.Quantity+1, 9999) }

// Thumb is the small picture of the line.
func (l *CartLine) Thumb() string { return thumb(l.Image) }

// thumb is the small cut of a picture of the shop, from the address that the API
// gives it.
func thumb(address string) string {
	if _, ours := shop.FilePath(address); !ours {
		return ""
	}
	return Image{Path: address}.Resized(320)
}

// Wishlist is the page /wishlist.
type Wishlist struct {
	Items   []WishItem
	Trouble Trouble
}

// WishItem is a product that a visitor keeps in mind.
type WishItem struct {
	Product  int64  `json:"product_id"`
	Name     string `json:"name"`
	URL      string `json:"url"`
	Image    string `json:"image"`
	Unit     Priced `json:"price"`
	InStock  bool   `json:"in_stock"`
	Variants bool   `json:"has_variants"`
}

// Thumb is the small picture of the product.
func (w *WishItem) Thumb() string { return thumb(w.Image) }

// Deals is the page /deals: what is reduced now.
type Deals struct{ Products []ProductCard }

func (*Cart) drawing() string     { return "zone-cart" }
func (*Checkout) drawing() string { return "zone-checkout" }
func (*Account) drawing() string  { return "zone-account" }
func (*Wishlist) drawing() string { return "zone-wishlist" }
func (*Deals) drawing() string    { return "zone-deals" }
func (*Orders) drawing() string   { return "zone-orders" }
func (*Order) drawing() string    { return "zone-order" }
