// Package price says what a cart costs. It is one pure function over immutable
// values: the cart as it is read, a quote, the checkout and what a card shows
// call it, and nothing else computes money (CONTRACT-COMMERCE, "Prices").
//
// A Cart goes through the steps in their order, each on the result of the one
// before. All sums are 64-bit integers in units of the shop's currency; the
// bounds of quantities, lines and prices keep them below 2^53, so that no step
// can overflow and no client loses a digit.
//
// What the package does not do: it reads no clock and no database, reserves no
// stock, redeems no code and formats no amount.
package price

import (
	"strconv"
	"time"

	"vitrine/internal/shop"
)

// The bounds of document 2, section 8.
const (
	MaxQuantity = 9999          // units of a line
	MaxTotal    = 2_000_000_000 // of an order before discounts, and of a price that a client names
	MaxLines    = 100           // of a merge or a quote
)

// Cart is what is priced.
type Cart struct {
	Lines []Line
	Code  string // as the cart stores it, in capitals; empty: none
	At    time.Time

	Offers   *Offers         // nil: the shop takes nothing off
	Buyer    Buyer           // who pays
	Usage    map[int64]Usage // of promotions with limits
	Personal *Personal       // whose code Code is; nil: it is no personal one
	Gifts    map[shop.ProductID]*GiftGood
	Hints    bool // fill Near
}

// GiftGood is a product that may come for nothing: published, and so many are left
// (nil: nobody counts).
type GiftGood struct {
	Product *Product
	Left    *int64
}

// GiftKey is the key of the line of a gift.
func GiftKey(promotion int64) string { return "gift-" + strconv.FormatInt(promotion, 10) }

// Line is one product in a cart, chosen in one way.
type Line struct {
	Product  *Product
	Key      string
	Quantity int64 // 1 to MaxQuantity
	Choice   Choice
}

// Product is what the price of a product depends on. It is not written after it
// was made, so that carts may share it.
type Product struct {
	ID       shop.ProductID
	Price    int64     // of one unit
	Variants []Variant // that are live and active
	Set      []Component
	Percent  int64 // what a set takes off the sum of its components, in basis points

	Configurable bool // a client may name its price (data.price.total)

	Categories []shop.CategoryID // that it stands in, with all above them
	Path       []shop.CategoryID // from its primary category up
}

// Variant is one choice of a product.
type Variant struct {
	ID    shop.VariantID
	Price *int64 // nil: the product's
}

// Component is a product inside a set.
type Component struct {
	Product  *Product
	Variant  shop.VariantID // 0: none
	Quantity int64
}

// Receipt is a priced cart.
type Receipt struct {
	Lines    []Priced
	Before   int64 // subtotal_before: the prices of the first step, times their quantities
	Subtotal int64 // what is to be paid
	Applied  []Applied
	Rejected Rejection // why the code took nothing off
	Near     []Near    // promotions that more would bring
	Explain  []Note    // only when it was asked for

	left  []int64 // of each line after the discounts on sums so far
	lines []int   // to write on
	parts []part  // likewise
}

// Discount is what all steps together took off.
func (r *Receipt) Discount() int64 { return r.Before - r.Subtotal }

// TooLarge reports whether no order may be made of the cart (document 2, 4.1.7:
// the sum before discounts).
func (r *Receipt) TooLarge() bool { return r.Before > MaxTotal }

// Priced is a line with its price.
type Priced struct {
	Line
	Source Source
	Unit   int64 // of one unit after all steps that look at lines
	Base   int64 // of one unit before them, when they lowered it; else 0
	Gift   bool  // Unit is 0 and Base its value; in no sum

	Promotion string // name of the line promotion or gift; empty: none
}

// Total is what the line costs.
func (p *Priced) Total() int64 { return p.Unit * p.Quantity }

// Applied is a promotion that took something off.
type Applied struct {
	Promotion shop.Int64
	Name      string
	Kind      string
	Code      string
	Amount    int64 // all amounts together are the discount
}

// Near is a promotion that fires once there is more: of money, else of units.
type Near struct {
	Promotion shop.Int64
	Name      string
	Kind      string
	Amount    int64
	Quantity  int64
}

// Rejection is why a code took nothing off (CONTRACT-COMMERCE, "Promotions").
type Rejection string

// NotFound is the rejection of a code that the shop does not have.
const NotFound Rejection = "NOT_FOUND"

// RateLimited: the code was not looked at, after too many wrong ones.
const RateLimited Rejection = "RATE_LIMITED"

// Note explains one number: what a step did to a line.
type Note struct {
	Key     string
	Product shop.ProductID
	Step    string
	Rule    string
	Before  int64
	After   int64
	Why     string
}

// step changes a receipt; what it may look at of the cart is in the receipt too.
type step struct {
	name string
	run  func(c *Cart, r *Receipt, explain *notes)
}

// steps is the order of pricing. Each works on what the one before left.
var steps = [...]step{
	{"unit_price", unitPrices},
	{"quantity", quantities},
	{"discount", discounts},
	{"gift", gifts},
	{"sum", orderSums},
	{"order_discount", orders},
	{"code", code},
}

// Price prices a cart.
func Price(c *Cart) *Receipt { return run(c, nil) }

// Explain prices a cart and notes how each number came to be.
func Explain(c *Cart) *Receipt {
	noted := &notes{}
	r := run(c, noted)
	r.Explain = noted.list
	return r
}

func run(c *Cart, noted *notes) *Receipt {
	r := &Receipt{Lines: make([]Priced, len(c.Lines))}
	for i, line := range c.Lines {
		r.Lines[i].Line = line
	}
	for _, s := range steps {
		noted.begin(s.name)
		s.run(c, r, noted)
	}
	return r
}

// notes collects what explains the numbers. A nil one collects nothing, so that
// a price that nobody asks about costs nothing more.
type notes struct {
	step string
	list []Note
}

func (n *notes) begin(step string) {
	if n != nil {
		n.step = step
	}
}

func (n *notes) add(line *Priced, rule string, before, after int64, why string) {
	if n == nil {
		return
	}
	n.list = append(n.list, Note{
		Key: line.Key, Product: line.Product.ID, Step: n.step, Rule: rule, Before: before, After: after, Why: why,
	})
}

// skip notes a promotion that did not fire.
func (n *notes) skip(p *Promotion, why string) {
	if n != nil {
		n.list = append(n.list, Note{Step: n.step, Rule: p.Name, Why: why})
	}
}

// order notes what was taken off the sum.
func (n *notes) order(a Applied, before, after int64) {
	if n != nil {
		n.list = append(n.list, Note{Step: n.step, Rule: a.Name, Before: before, After: after, Why: "taken off what is left"})
	}
}
