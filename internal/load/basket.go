package load

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"vitrine/compile"
	"vitrine/compile/price"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
)

// ErrProduct refuses to sell a product that is not for sale.
var ErrProduct = shop.Refuse(shop.InvalidArgument, "PRODUCT_NOT_FOUND").When("no product that the caller may see has this id or slug")

// ErrVariantRequired refuses to sell a product that is counted by variant as a whole.
var ErrVariantRequired = shop.Refuse(shop.InvalidArgument, "VARIANT_REQUIRED").
	When("the stock of the product is counted by variant, and the line names none that can be bought; the detail has the ids of the products")

// Basket is a cart with its products and prices. Reading the cart, a quote, and the pages
// of the cart and the checkout are all based on it.
type Basket struct {
	Lines []BasketLine
	Goods map[shop.ProductID]*catalog.CartProduct // includes components of sets
	*price.Receipt

	cart *price.Cart
}

// With returns the receipt with another delivery.
func (b *Basket) With(delivery shop.DeliveryID) *price.Receipt {
	return b.Receipt.With(b.cart, delivery)
}

// BasketLine is a line of a basket: the cart line, its product, and its price.
type BasketLine struct {
	sales.CartLine
	Good  *catalog.CartProduct
	Price *price.Priced
}

// Pricing controls how a cart is priced.
type Pricing struct {
	At      time.Time     // for carts, the zero time is now
	Site    *compile.Site // with the offers of the shop, as the buyer sees it; nil: no offers
	Buyer   shop.UserID   // 0: a visitor
	Contact sales.Contact // of the checkout; empty: that of the cart
	To      shop.Destination

	Taxes     *shop.Taxes // of the shop; nil: none
	VATNumber string      // of the buyer, see shop.ParseVATNumber; empty: none

	Deliveries []price.Delivery // that the shop offers, the default one first
	Delivery   shop.DeliveryID  // that the buyer chose; 0: the first possible one

	Offered bool // only lines of published products, with a variant where one is required
	Explain bool
	Hints   bool // include promotions that a larger cart would get
}

// FillBasket prices the lines of a cart. It drops lines of products that do not exist, that are
// closed to the buyer, or not Offered; a gift follows the line that earned it. It
// costs one statement, and one more where a promotion depends on more than the goods.
func FillBasket(ctx context.Context, r store.Reader, c sales.Cart, how Pricing) (*Basket, error) {
	list, err := FillBaskets(ctx, r, []Unpriced{{c, how}})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// Unpriced is a cart with how it is to be priced.
type Unpriced struct {
	sales.Cart
	Pricing
}

// FillBaskets is FillBasket for several carts as the same site shows them, in as many statements
// as one.
func FillBaskets(ctx context.Context, r store.Reader, carts []Unpriced) ([]*Basket, error) {
	if len(carts) == 0 {
		return nil, nil
	}
	site := carts[0].Site
	if site != nil {
		r = r.Hiding(site.Hidden())
	}
	asks := make([]price.Requirements, len(carts))
	var ids []shop.ProductID
	for i := range carts {
		c := &carts[i]
		if site != nil && len(c.Lines) > 0 {
			asks[i] = site.Offers().Asks(c.PromoCode, c.At)
		}
		ids = append(ids, asks[i].Gifts...)
		for _, l := range c.Lines {
			ids = append(ids, l.Product)
		}
	}
	goods, err := catalog.CartProducts(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	facts, err := readFacts(ctx, r, carts, asks)
	if err != nil {
		return nil, err
	}
	m := productBuilder{goods: goods, site: site, built: map[shop.ProductID]*price.Product{}}
	list := make([]*Basket, len(carts))
	for i := range carts {
		list[i] = m.basket(&carts[i], asks[i], facts[i])
	}
	return list, nil
}

// basket prices one cart.
func (m *productBuilder) basket(c *Unpriced, asks price.Requirements, facts *sales.OfferFacts) *Basket {
	cart := &price.Cart{
		Code: c.PromoCode, At: c.At, To: c.To.Or(c.Taxes.Country()), Taxes: c.Taxes, VATNumber: c.VATNumber,
		Deliveries: c.Deliveries, Delivery: c.Delivery,
		Buyer: price.Buyer{ID: c.Buyer}, Gifts: map[shop.ProductID]*price.GiftGood{}, Hints: c.Hints,
	}
	if m.site != nil && len(c.Lines) > 0 {
		cart.Offers = m.site.Offers()
	}
	setFacts(cart, facts)
	b := &Basket{Goods: m.goods, cart: cart}
	var kept []sales.CartLine
	for _, l := range c.Lines {
		good := m.goods[l.Product]
		if good == nil {
			continue
		}
		line := price.Line{Product: m.product(good.ID), Key: l.Key, Quantity: l.Quantity, Choice: ChoiceOfLine(good, l.Key, l.Data), Agreed: l.Agreed}
		if c.Offered && (!good.Published || good.NeedsVariant(line.Chosen())) {
			continue
		}
		cart.Lines = append(cart.Lines, line)
		kept = append(kept, l)
	}
	listed := func(section shop.CategoryID) bool { return m.site == nil || m.site.Hidden().ListsSection(section) }
	for _, id := range asks.Gifts {
		if good := m.goods[id]; good != nil && good.Published && listed(good.Category) && len(good.Set) == 0 {
			cart.Gifts[id] = &price.GiftGood{Product: m.product(id), Left: int64Of(good.Stock), Variants: variantStock(good)}
		}
	}
	if b.Receipt = price.Price(cart); c.Explain {
		b.Receipt = price.Explain(cart)
	}
	b.pairLines(kept)
	return b
}

// ChoiceOfLine reads the data of a line. If it names no variant, the key does (see price.KeyVariant).
func ChoiceOfLine(g *catalog.CartProduct, key string, data json.RawMessage) price.Choice {
	c := price.ReadChoice(data)
	if id := price.KeyVariant(key); c.Variant == 0 && !c.Unresolved && g.Variant(id) != nil {
		c.Variant = id
	}
	return c
}

// CheckKeys refuses lines whose key and whose data name different variants of a published product that
// the reader sees.
func CheckKeys(ctx context.Context, r store.Reader, lines []sales.CartLine) error {
	var mixed []sales.CartLine
	var ids []shop.ProductID
	for _, l := range lines {
		byKey, named := price.KeyVariant(l.Key), price.ReadChoice(l.Data).Variant
		if byKey != 0 && named != 0 && byKey != named {
			mixed, ids = append(mixed, l), append(ids, l.Product)
		}
	}
	if len(mixed) == 0 {
		return nil
	}
	goods, err := catalog.CartProducts(ctx, r, ids)
	if err != nil {
		return err
	}
	for _, l := range mixed {
		good := goods[l.Product]
		if good != nil && good.Published && slices.ContainsFunc(good.Variants, func(v catalog.Variant) bool { return v.ID == price.KeyVariant(l.Key) }) {
			return shop.ErrInvalidRequest.With("product " + l.Product.String() + ": the key " + l.Key + " names another variant than data.variant_id")
		}
	}
	return nil
}

// pairLines pairs the lines of the cart with those of the receipt, which has gifts between them.
func (b *Basket) pairLines(kept []sales.CartLine) {
	for i := range b.Receipt.Lines {
		p := &b.Receipt.Lines[i]
		line := BasketLine{Good: b.Goods[p.Product.ID], Price: p}
		if p.Gift {
			line.CartLine = sales.CartLine{Product: p.Product.ID, Key: p.Key, Quantity: p.Quantity}
		} else {
			line.CartLine, kept = kept[0], kept[1:]
		}
		b.Lines = append(b.Lines, line)
	}
}

// readFacts reads the other facts on which the prices of carts depend; nil: there are none.
func readFacts(ctx context.Context, r store.Reader, carts []Unpriced, asks []price.Requirements) ([]*sales.OfferFacts, error) {
	var queries []sales.OfferQuery
	facts := make([]*sales.OfferFacts, len(carts))
	var asked []int
	for i := range carts {
		c, a := &carts[i], asks[i]
		a.Buyer, a.Groups = a.Buyer && c.Buyer != 0, a.Groups && c.Buyer != 0
		if len(a.Usage) == 0 && !a.Buyer && !a.Groups && !a.Code {
			continue
		}
		q := sales.OfferQuery{Person: c.Buyer, Contact: c.Pricing.Contact, Buyer: a.Buyer, Groups: a.Groups}
		if q.Contact == (sales.Contact{}) {
			q.Contact = c.Cart.Contact
		}
		if a.Code {
			q.Code = c.PromoCode
		}
		for _, id := range a.Usage {
			q.Promotions = append(q.Promotions, shop.PromotionID(id))
		}
		queries, asked = append(queries, q), append(asked, i)
	}
	answers, err := sales.GetOfferFacts(ctx, r, queries)
	if err != nil {
		return nil, err
	}
	for i := range answers {
		facts[asked[i]] = &answers[i]
	}
	return facts, nil
}

func setFacts(cart *price.Cart, facts *sales.OfferFacts) {
	if facts == nil {
		return
	}
	cart.Buyer.Ordered, cart.Buyer.Groups = facts.Ordered, facts.Groups
	cart.Usage = map[int64]price.Usage{}
	for id, u := range facts.Usage {
		cart.Usage[int64(id)] = price.Usage{Used: u.Used, Spent: u.Spent, ByBuyer: u.By}
	}
	if c := facts.Code; c != nil {
		cart.Personal = &price.Personal{Campaign: int64(c.Promotion), Buyer: c.Person, Used: c.UsedOrder != nil}
		if c.ExpiresAt != nil {
			cart.Personal.Ends = *c.ExpiresAt
		}
	}
}

func int64Of(stock *int) *int64 {
	if stock == nil {
		return nil
	}
	n := int64(*stock)
	return &n
}

// variantStock returns the stock of the variants that can be bought.
func variantStock(g *catalog.CartProduct) map[shop.VariantID]*int64 {
	left := map[shop.VariantID]*int64{}
	for i := range g.Variants {
		if v := &g.Variants[i]; v.IsActive {
			left[v.ID] = int64Of(v.Stock)
		}
	}
	return left
}

// productBuilder builds the pricing view of goods, once for each.
type productBuilder struct {
	goods map[shop.ProductID]*catalog.CartProduct
	site  *compile.Site // nil: the placement does not matter
	built map[shop.ProductID]*price.Product
}

// product returns the pricing view of a good. A missing component costs nothing: its set
// cannot be ordered anyway.
func (m *productBuilder) product(id shop.ProductID) *price.Product {
	if p := m.built[id]; p != nil {
		return p
	}
	good := m.goods[id]
	if good == nil {
		return &price.Product{ID: id}
	}
	p := &price.Product{ID: id}
	if m.site != nil {
		p = PlacementOfGood(good).Product(m.site)
	}
	p.Price, p.Percent, p.Configurable, p.ByVariant, p.Class = good.Price, good.Percent, good.Configurable, good.StockBy == shop.StockByVariant, good.TaxClass
	p.Grams = int64(good.Weight(0))
	m.built[id] = p
	for _, v := range good.Variants {
		if v.IsActive {
			p.Variants = append(p.Variants, price.Variant{ID: v.ID, Price: v.Price, Grams: int64Of(v.WeightG)})
		}
	}
	for _, c := range good.Set {
		p.Set = append(p.Set, price.Component{Product: m.product(c.Product), Variant: c.Variant, Quantity: c.Quantity})
	}
	return p
}

// Echo returns the data of the line, as far as it is shown.
func (l *BasketLine) Echo() json.RawMessage { return price.Echo(l.Price, l.Data) }

// chosen returns the variant that the line buys, or nil.
func (l *BasketLine) chosen() *catalog.Variant { return l.Good.Variant(l.Price.Chosen()) }

// Name returns the product's name with that of its variant.
func (l *BasketLine) Name() string {
	if v := l.chosen(); v != nil && v.DisplayTitle() != "" {
		return l.Good.Name + ", " + v.DisplayTitle()
	}
	return l.Good.Name
}

// OldPrice returns what a unit cost before: by a promotion or the discount of a set, else as typed
// for the variant or the product; 0: nothing else is known.
func (l *BasketLine) OldPrice() int64 {
	switch v := l.chosen(); {
	case l.Price.Base > 0:
		return l.Price.Base
	case l.Price.Source == price.FromConfiguration, l.Price.Source == price.FromAgreement:
		return 0
	case l.Price.Source == price.FromSet:
		if whole := price.ComponentsTotal(l.Price.Product); whole > l.Price.Unit {
			return whole
		}
		return 0
	case v != nil:
		return shop.ChoiceOf(l.Good.Price, l.Good.OldPrice, v.Price, v.OldPrice).Old
	}
	return l.Good.OldPrice
}

// SKU returns the variant's sku, else the product's.
func (l *BasketLine) SKU() string {
	if v := l.chosen(); v != nil && v.SKU != "" {
		return v.SKU
	}
	return l.Good.SKU
}

// Image returns the address of the variant's picture, else of the product's; empty: there
// is none.
func (l *BasketLine) Image() string {
	path := l.Good.Image
	if v := l.chosen(); v != nil && v.ImagePath != "" {
		path = v.ImagePath
	}
	if path == "" {
		return ""
	}
	return shop.FileURL(path)
}

// Parts returns the components of a set with their names; deleted ones have none.
func (b *Basket) Parts(g *catalog.CartProduct) (list []sales.SetPart) {
	for _, c := range g.Set {
		part := sales.SetPart{SetComponent: c}
		if good := b.Goods[c.Product]; good != nil {
			part.Name = good.Name
		}
		list = append(list, part)
	}
	return list
}

// MissingComponents returns the components of sets that no longer exist.
func (b *Basket) MissingComponents() (ids []shop.ProductID) {
	for i := range b.Lines {
		for _, c := range b.Lines[i].Good.Set {
			if b.Goods[c.Product] == nil && !slices.Contains(ids, c.Product) {
				ids = append(ids, c.Product)
			}
		}
	}
	return ids
}

// NeedingVariant returns the products of lines that name no variant that can be bought though
// the product is counted by variant.
func (b *Basket) NeedingVariant() (ids []shop.ProductID) {
	for i := range b.Lines {
		if l := &b.Lines[i]; l.Good.NeedsVariant(l.Price.Chosen()) && !slices.Contains(ids, l.Product) {
			ids = append(ids, l.Product)
		}
	}
	return ids
}

// Available returns how many units of what a line buys are in stock, nil when it is not
// tracked.
func (b *Basket) Available(l *BasketLine) *int { return Available(b.Goods, l.Good, l.Price.Chosen()) }

// Available returns how many units of a product or its variant are in stock, nil when it is not
// tracked. A combo is limited by its scarcest component, and is unavailable when one is missing.
func Available(goods map[shop.ProductID]*catalog.CartProduct, g *catalog.CartProduct, variant shop.VariantID) *int {
	if len(g.Set) == 0 {
		return g.Left(variant)
	}
	var least *int
	for _, c := range g.Set {
		part, sets := goods[c.Product], 0
		if part == nil {
			return &sets
		}
		left := part.Left(c.Variant)
		if left == nil {
			continue
		}
		if sets = *left / int(max(c.Quantity, 1)); least == nil || sets < *least {
			least = &sets
		}
	}
	return least
}

// Explained returns the receipt with an explanation of every number.
func (b *Basket) Explained() *price.Receipt { return price.Explain(b.cart) }
