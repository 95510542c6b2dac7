// Package price computes what a cart costs. It is one pure function over immutable values:
// reading the cart, quotes, the checkout and cards all call it, and nothing else computes money
// (CONTRACT-COMMERCE, "Prices").
//
// The pricing steps run in order, each on the result of the one before. All sums are 64-bit
// integers in units of the shop's currency; the limits of quantities, lines and prices keep them
// below 2^53, so that no step can overflow and no client loses a digit.
//
// The package reads no clock and no database, reserves no stock, redeems no code and formats no
// amount.
package price

import (
	"strconv"
	"time"

	"vitrine/internal/shop"
)

// The limits of document 2, section 8.
const (
	MaxQuantity = 9999          // units of a line
	MaxTotal    = 2_000_000_000 // of an order before discounts, and of a price set by a client
	MaxLines    = 100           // of a merge or a quote
)

// Cart is the input of Price.
type Cart struct {
	Lines []Line
	Code  string // as the cart stores it, in upper case; empty: none
	At    time.Time
	To    shop.Destination

	Taxes     *shop.Taxes // nil: none
	VATNumber string      // of the buyer, see shop.ParseVATNumber; empty: none

	Deliveries []Delivery      // that the shop offers, the default one first
	Delivery   shop.DeliveryID // that the buyer chose; 0: the first possible one

	Offers   *Offers         // nil: no discounts
	Buyer    Buyer           // who pays
	Usage    map[int64]Usage // of promotions with limits
	Personal *Personal       // if Code is a personal code; else nil
	Gifts    map[shop.ProductID]*GiftGood
	Hints    bool // fill Near
}

// GiftGood is a published product that may be given for free, and the remaining stock (nil: not
// tracked): of the product or, if it is counted by variant, of each variant that can be bought.
type GiftGood struct {
	Product  *Product
	Left     *int64
	Variants map[shop.VariantID]*int64
}

// GiftKey returns the key of a gift's line.
func GiftKey(promotion int64) string { return "gift-" + strconv.FormatInt(promotion, 10) }

// Line is a product with its options in a cart.
type Line struct {
	Product  *Product
	Key      string
	Quantity int64 // 1 to MaxQuantity
	Choice   Choice
	Agreed   *int64 // unit price agreed with the buyer, 0 to MaxTotal; nil: that of the shop
}

// Product holds what the price of a product depends on. It is immutable, so that carts may share
// it.
type Product struct {
	ID       shop.ProductID
	Price    int64     // of one unit
	Grams    int64     // weight of one unit; 0: unknown
	Variants []Variant // the live and active ones
	Set      []Component
	Percent  int64 // discount of a set on the sum of its components, in basis points

	Configurable bool // a client may set its price (data.price.total)
	ByVariant    bool // its stock is counted by variant
	Class        shop.TaxClass

	Categories []shop.CategoryID // that contain it, with all their ancestors
	Path       []shop.CategoryID // from its primary category up
}

// Variant is a variant of a product.
type Variant struct {
	ID    shop.VariantID
	Price *int64 // nil: the product's
	Grams *int64 // nil: the product's
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
	Before   int64 // subtotal_before: unit prices of the first step times quantities
	Subtotal int64 // to pay for the goods
	Grand    int64 // to pay
	Applied  []Applied
	Rejected Rejection // why the code was not applied

	Deliveries []Possible // ways in which the goods can be delivered
	Delivery   *Possible  // the one that is paid; nil: none, or the chosen one is not possible

	Taxes    []shop.Tax
	TaxTotal int64 // included in Grand

	Near    []Near // promotions that a larger cart would get
	Explain []Note // filled by Explain only

	left  []int64 // of each line after the discounts on sums so far
	lines []int   // reused buffer
	parts []part  // reused buffer
}

// Discount returns the discount of all steps together.
func (r *Receipt) Discount() int64 { return r.Before - r.Subtotal }

// TooLarge reports whether the cart is too large for an order (document 2, 4.1.7: the sum before
// discounts).
func (r *Receipt) TooLarge() bool { return r.Before > MaxTotal }

// Priced is a line with its price.
type Priced struct {
	Line
	Source Source
	Unit   int64 // unit price after all line steps
	Base   int64 // unit price before them if they lowered it, else 0
	Gift   bool  // Unit is 0 and Base its value; excluded from all sums

	Promotion string        // name of the line promotion or gift; empty: none
	Tax       *shop.TaxRate // nil: not taxed
}

// Total returns the price of the line.
func (p *Priced) Total() int64 { return p.Unit * p.Quantity }

// TaxRates returns the rate of the line as a list, empty if it is not taxed.
func (p *Priced) TaxRates() []shop.TaxRate {
	if p.Tax == nil {
		return []shop.TaxRate{}
	}
	return []shop.TaxRate{*p.Tax}
}

// Applied is a promotion that was applied.
type Applied struct {
	Promotion shop.Int64
	Name      string
	Kind      string
	Code      string
	Amount    int64 // the amounts add up to the discount
}

// Near is a promotion that would fire with a larger cart: the missing amount, otherwise the
// missing units.
type Near struct {
	Promotion shop.Int64
	Name      string
	Kind      string
	Amount    int64
	Quantity  int64
}

// Rejection is why a code was not applied (CONTRACT-COMMERCE, "Promotions").
type Rejection string

// NotFound is the rejection of a code that the shop does not have.
const NotFound Rejection = "NOT_FOUND"

// RateLimited: the code was not checked, after too many wrong ones.
const RateLimited Rejection = "RATE_LIMITED"

// Note explains one number: the effect of a step on a line.
type Note struct {
	Key     string
	Product shop.ProductID
	Step    string
	Rule    string
	Before  int64
	After   int64
	Why     string
}

// step is a pricing step; the parts of the cart it works on are in the receipt too.
type step struct {
	name string
	run  func(c *Cart, r *Receipt, explain *notes)
}

// steps is the order of pricing. Each step works on the result of the one before.
var steps = [...]step{
	{"unit_price", unitPrices},
	{"quantity", quantities},
	{"discount", discounts},
	{"gift", gifts},
	{"sum", orderSums},
	{"order_discount", orders},
	{"code", code},
	{"delivery", deliver},
	{"tax", taxes},
}

// Price prices a cart.
func Price(c *Cart) *Receipt { return run(c, nil) }

// Explain prices a cart and records how each number was computed.
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

// notes collects the explanations. A nil notes collects nothing, so that Price does not pay for
// them.
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

// skip records a promotion that did not fire.
func (n *notes) skip(p *Promotion, why string) {
	if n != nil {
		n.list = append(n.list, Note{Step: n.step, Rule: p.Name, Why: why})
	}
}

// order records a discount on the sum.
func (n *notes) order(a Applied, before, after int64) {
	if n != nil {
		n.list = append(n.list, Note{Step: n.step, Rule: a.Name, Before: before, After: after, Why: "taken off the remaining amount"})
	}
}
