package render

import (
	"strconv"

	"vitrine/internal/shop"
)

// ZoneBody is the visitor's data on a page of a guarded zone: one of the types of the files
// zone*.go. Their JSON names are those of the API responses that they are decoded from.
type ZoneBody interface{ drawing() string }

// FormError is the error of a submitted form of a zone: the code of the API's refusal, and the
// field concerned, if any.
type FormError struct {
	Code  string
	Field string
}

// Cart is the page /cart, and the drawer that opens beside any other page.
type Cart struct {
	Lines    []CartLine `json:"items"`
	Subtotal int64      `json:"subtotal"`
	Taxes    []shop.Tax `json:"taxes"`
	Discount int64      `json:"discount_total"`
	Applied  []Applied  `json:"applied"`
	Missing  []Missing  `json:"missing"`
	FreeFrom int64      `json:"-"` // the sum from which the default delivery is free; 0: always or never
	Code     string     `json:"promo_code"`
	Rejected string     `json:"promo_rejected"`
	Units    int64      `json:"count"`
	Trouble  FormError  `json:"-"`

	Deliveries []DeliveryOption `json:"deliveries"` // that are possible
	Delivery   *DeliveryOption  `json:"delivery"`   // in Grand; nil: none
	Grand      int64            `json:"grand_total"`
}

// VisitorStylePath is the style sheet that shows visitor-specific state in browsers without
// scripts. Pages link to it and are therefore the same for all visitors.
const VisitorStylePath = "/_vitrine/visitor.css"

// VisitorStyle is that style sheet: it shows the number of units in the cart, and hides the
// sign-in links from signed-in visitors.
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
	Total     int64  `json:"total"`
	InStock   bool   `json:"in_stock"`
	Available *int64 `json:"available"` // nil: not tracked
	IsGift    bool   `json:"is_gift"`
	Parts     []Part `json:"combo_items"`

	Clipped bool `json:"-"` // the buyer asked for more than is in stock
}

// Priced is the price of one unit of a line.
type Priced struct {
	Price         int64  `json:"price"`
	OldPrice      int64  `json:"old_price"`
	PromotionName string `json:"promotion_name"`
}

// Part is a component of a set.
type Part struct {
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
	URL      string `json:"-"` // of its page; empty: no page, or unknown
}

// Applied is a discount of a cart or an order.
type Applied struct {
	Name   string `json:"name"`
	Code   string `json:"code"`
	Amount int64  `json:"amount"`
}

// Missing is what is still needed to get a promotion: money or units.
type Missing struct {
	Name     string `json:"name"`
	Amount   int64  `json:"amount"`
	Quantity int64  `json:"quantity"`
}

// ToFree is the amount missing for free delivery; 0: nothing, or delivery is never free.
func (c *Cart) ToFree() int64 {
	if len(c.Lines) == 0 {
		return 0
	}
	return max(c.FreeFrom-c.Subtotal, 0)
}

// TaxAdded reports whether the taxes of the goods are added to the prices.
func (c *Cart) TaxAdded() bool { return c.Grand > c.Subtotal }

// Before is the total before discounts, which is shown struck through (document 2, 2.1).
func (c *Cart) Before() int64 { return c.Subtotal + c.Discount }

// Short reports whether a line asks for more than is in stock.
func (c *Cart) Short() bool {
	for i := range c.Lines {
		if c.Lines[i].Short() {
			return true
		}
	}
	return false
}

// Short reports whether the line asks for more than is in stock.
func (l *CartLine) Short() bool { return l.Available != nil && *l.Available < l.Quantity }

// Left is the stock of a line that asks for more.
func (l *CartLine) Left() int64 { return *l.Available }

// Less is the quantity after the line's minus button is pressed.
func (l *CartLine) Less() int64 { return max(l.Quantity-1, 1) }

// More is the quantity after the line's plus button is pressed, up to the limit of a line.
func (l *CartLine) More() int64 { return min(l.Quantity+1, 9999) }

// Thumb is the thumbnail of the line.
func (l *CartLine) Thumb() string { return thumb(l.Image) }

// thumb is the thumbnail of a picture of the shop, from the address in the API's response.
func thumb(address string) string {
	if _, ours := shop.FilePath(address); !ours {
		return ""
	}
	return Image{Path: address}.Resized(320)
}

// Wishlist is the page /wishlist.
type Wishlist struct {
	Items   []WishItem
	Trouble FormError
}

// WishItem is a product on a wishlist.
type WishItem struct {
	Product  int64  `json:"product_id"`
	Name     string `json:"name"`
	URL      string `json:"url"`
	Image    string `json:"image"`
	Unit     Priced `json:"price"`
	InStock  bool   `json:"in_stock"`
	Variants bool   `json:"has_variants"`
}

// Thumb is the thumbnail of the product.
func (w *WishItem) Thumb() string { return thumb(w.Image) }

// Deals is the page /deals: the currently reduced products.
type Deals struct{ Products []ProductCard }

func (*Cart) drawing() string     { return "zone-cart" }
func (*Checkout) drawing() string { return "zone-checkout" }
func (*Account) drawing() string  { return "zone-account" }
func (*Link) drawing() string     { return "zone-link" }
func (*Wishlist) drawing() string { return "zone-wishlist" }
func (*Deals) drawing() string    { return "zone-deals" }
func (*Orders) drawing() string   { return "zone-orders" }
func (*Order) drawing() string    { return "zone-order" }
