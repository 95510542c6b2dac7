package order

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"vitrine/compile"
	"vitrine/compile/lead"
	"vitrine/compile/price"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
)

// Refusals of a checkout (document 2, section 7).
var (
	ErrContactRequired = shop.Refuse(shop.InvalidArgument, "CONTACT_REQUIRED").When("contact.name or contact.phone is empty, or contact.email if a payment link is sent there")
	ErrCartEmpty       = shop.Refuse(shop.FailedPrecondition, "CART_EMPTY").When("the cart is empty")
	ErrShopUnavailable = shop.Refuse(shop.FailedPrecondition, "COMPANY_UNAVAILABLE").When("the shop is closed or blocked")
	ErrOrderTooLarge   = shop.Refuse(shop.FailedPrecondition, "ORDER_TOO_LARGE").When("the sum before discounts is above 2000000000")
	ErrPriceChanged    = shop.Refuse(shop.FailedPrecondition, "PRICE_CHANGED").When("expected_total or expected_grand_total differs from the current total of the cart")
	ErrAddressRequired = shop.Refuse(shop.InvalidArgument, "ADDRESS_REQUIRED").When("the delivery option requires an address")
)

// Checkout is the input of a buyer who turns a cart into an order.
type Checkout struct {
	Contact       sales.Contact
	Comment       string
	Address       json.RawMessage
	Expected      int64 // the total of the goods shown to the buyer; 0 or less: not checked
	ExpectedGrand int64 // the grand total, likewise
	Delivery      shop.DeliveryID
	Point         shop.PointID // of a pickup; empty: the first one
	PaymentMethod string
	Manual        *Entry // nil: the buyer's cart is ordered

	Cart    shop.UserID // whose cart is ordered; 0: the buyer's
	Offered bool        // products that are no longer published are not ordered, unlike a buyer's

	// Before runs at the beginning of the transaction that places the order, Also at its end; an error
	// undoes it. Both may be nil.
	Before func(ctx context.Context, tx *store.Tx) error
	Also   func(ctx context.Context, tx *store.Tx, o *sales.Order) error
}

// Entry is what the shop enters for a manual order instead of a buyer's cart.
type Entry struct {
	Lines       []sales.CartLine
	PromoCode   string
	By          shop.UserID
	PaymentLink bool // write to the buyer with the link that opens the order to pay it
}

// See returns a shop as currently visible to a caller, without anything closed to them
// (api.Call.Shop).
type See func(context.Context, shop.CompanyID) (store.Reader, load.CachedShop, error)

// All returns a See that hides nothing.
func All(s *store.Store, sites *load.Sites) See {
	return func(ctx context.Context, company shop.CompanyID) (store.Reader, load.CachedShop, error) {
		r := s.Shop(company)
		cached, err := sites.Current(ctx, r)
		return r, cached, err
	}
}

// Place turns the cart of a buyer into an order (document 2, 4.1.7). It first locks the header of
// the cart, so that of two concurrent calls one finds it empty. Then it reads and prices the cart
// again. Rows shared by all buyers come last: the order number, the promotions and the products.
// If a promotion without a code, or the last unit of a gift, was used up meanwhile, it prices the
// cart again. Products closed to the buyer cannot be bought: they leave the cart like deleted
// ones.
func Place(
	ctx context.Context, s *store.Store, seen See, company shop.CompanyID, buyer shop.UserID, c Checkout, now time.Time,
) (o sales.Order, err error) {
	if err := c.complete(); err != nil {
		return o, err
	}
	c.Cart = cmp.Or(c.Cart, buyer)
	r, cached, err := seen(ctx, company)
	if err != nil {
		return o, err
	}
	if c.Manual == nil {
		short, err := sales.OutOfStockInCart(ctx, r, c.Cart)
		if err != nil {
			return o, err
		}
		if len(short) > 0 {
			return o, catalog.ErrOutOfStock.With(shop.JoinIDs(short))
		}
	}
	for attempt := range maxAttempts {
		if attempt > 0 {
			if _, cached, err = seen(ctx, company); err != nil {
				return o, err
			}
		}
		how := load.Pricing{
			At: now, Site: cached.Site, Buyer: buyer, Contact: c.Contact, VATNumber: c.Contact.VATNumber, To: shop.DestinationOf(c.Address), Offered: c.Offered,
		}
		err = s.Write(ctx, company, func(tx *store.Tx) (err error) {
			if c.Manual != nil {
				if how.Buyer, err = sales.BuyerOf(ctx, tx, c.Contact.Email); err != nil {
					return err
				}
			}
			o, err = place(ctx, tx, c, how)
			return err
		})
		if !errors.Is(err, errRepriced) {
			break
		}
		err = ErrPriceChanged
	}
	if c.Manual != nil || !totalChanged(err) {
		return o, err
	}
	// The buyer will review the cart, and limits of promotions apply per contact, so the contact
	// is saved.
	saved := s.Write(ctx, company, func(tx *store.Tx) error {
		if err := sales.LockCart(ctx, tx, c.Cart); err != nil {
			return err
		}
		return sales.SetCartContact(ctx, tx, c.Cart, c.Contact)
	})
	if saved != nil {
		return o, saved
	}
	return o, err
}

// totalChanged reports whether a checkout was refused because the total differs from the one shown.
func totalChanged(err error) bool {
	return errors.Is(err, ErrPriceChanged) || errors.Is(err, sales.ErrPromoCodeExhausted) || errors.Is(err, sales.ErrCampaignBudgetSpent)
}

// maxAttempts is how often a checkout prices a cart at most.
const maxAttempts = 5

// errRepriced aborts an attempt whose prices are outdated.
var errRepriced = errors.New("order: the prices have changed")

// complete trims the contact and requires name and phone.
func (c *Checkout) complete() error {
	for _, text := range []*string{&c.Contact.Name, &c.Contact.Phone, &c.Contact.Email} {
		*text = strings.TrimSpace(*text)
	}
	if c.Contact.Name == "" {
		return ErrContactRequired.At("contact.name")
	}
	if c.Contact.Phone == "" {
		return ErrContactRequired.At("contact.phone")
	}
	if c.Contact.Email == "" && c.Manual != nil && c.Manual.PaymentLink {
		return ErrContactRequired.At("contact.email")
	}
	if c.Contact.Email != "" && !lead.IsEmail(c.Contact.Email) {
		return shop.ErrContactInvalid.At("contact.email").With("expected name@host")
	}
	number, err := shop.ParseVATNumber(c.Contact.VATNumber)
	c.Contact.VATNumber = number
	return shop.At(err, "contact.vat_number")
}

func place(ctx context.Context, tx *store.Tx, c Checkout, how load.Pricing) (o sales.Order, err error) {
	buyer := how.Buyer
	if c.Before != nil {
		if err := c.Before(ctx, tx); err != nil {
			return o, err
		}
	}
	if c.Manual == nil {
		if err := sales.LockCart(ctx, tx, c.Cart); err != nil {
			return o, err
		}
	}
	settings, err := sales.GetCheckoutSettings(ctx, tx.Reader)
	if err != nil {
		return o, err
	}
	if !settings.Open {
		return o, ErrShopUnavailable
	}
	cart, err := c.goods(ctx, tx.Reader)
	if err != nil {
		return o, err
	}
	options, err := sales.DeliveryOptions(ctx, tx.Reader)
	if err != nil {
		return o, err
	}
	how.Taxes, how.Deliveries, how.Delivery = settings.Tax, load.Deliveries(options), c.Delivery
	basket, err := load.FillBasket(ctx, tx.Reader, cart, how)
	if err != nil {
		return o, err
	}
	switch gone := c.Manual.unsold(basket, how.Site); {
	case len(gone) > 0:
		return o, load.ErrProduct.At("items").With(shop.JoinIDs(gone))
	case len(basket.Lines) == 0:
		return o, ErrCartEmpty
	case basket.TooLarge():
		return o, ErrOrderTooLarge
	case c.Expected != basket.Subtotal && basket.Rejected == price.Exhausted:
		return o, sales.ErrPromoCodeExhausted // the buyer expected the price with this code
	case c.Expected != basket.Subtotal && basket.Rejected == price.BudgetSpent:
		return o, sales.ErrCampaignBudgetSpent
	case c.Expected > 0 && c.Expected != basket.Subtotal:
		return o, ErrPriceChanged
	}
	if gone := basket.MissingComponents(); len(gone) > 0 {
		return o, catalog.ErrOutOfStock.With(shop.JoinIDs(gone))
	}
	if unnamed := basket.NeedingVariant(); len(unnamed) > 0 {
		return o, load.ErrVariantRequired.With(shop.JoinIDs(unnamed))
	}
	o = sales.Order{
		Person: buyer, Cart: c.Cart, ItemsTotal: basket.Subtotal, DiscountTotal: basket.Discount(), GrandTotal: basket.Grand, Currency: settings.Currency, Contact: c.Contact,
		Address: c.Address, Comment: c.Comment, PaymentMethod: c.PaymentMethod, Taxes: append([]shop.Tax{}, basket.Taxes...),
		Tax: singleTax(settings.Tax, basket.Receipt),
	}
	if o.Delivery, err = c.deliver(options, basket); err != nil {
		return o, err
	}
	if c.ExpectedGrand > 0 && c.ExpectedGrand != o.GrandTotal {
		return o, ErrPriceChanged
	}
	if o.Lines, err = lines(basket); err != nil {
		return o, err
	}
	taken := redemptions(basket)
	if o.Promotions, err = json.Marshal(appliedViews(basket)); err != nil {
		return o, err
	}
	by := buyer
	if c.Manual == nil {
		err = sales.EmptyCart(ctx, tx, c.Cart)
	} else {
		o.Source, o.EnteredBy, by = sales.Manual, c.Manual.By, c.Manual.By
	}
	if err != nil {
		return o, err
	}
	units, err := sales.StockUnits(o.Lines)
	if err != nil {
		return o, err
	}
	if err := sales.PlaceOrder(ctx, tx, &o); err != nil {
		return o, err
	}
	switch {
	case o.GrandTotal == 0:
		err = sales.ConfirmFreeOrder(ctx, tx, o)
	case c.Manual != nil && c.Manual.PaymentLink:
		err = sales.RequestPayment(ctx, tx, o)
	}
	if err != nil {
		return o, err
	}
	spare, err := sales.GiftUnits(o.Lines)
	if err != nil {
		return o, err
	}
	err = sales.Redeem(ctx, tx, o.ID, buyer, taken)
	switch {
	case errors.Is(err, sales.ErrPromotionEnded):
		return o, errRepriced
	case err != nil:
		return o, err
	}
	for item := range units {
		units[item] = -units[item]
	}
	short, err := catalog.MoveStock(ctx, tx, catalog.StockMove{Order: o.ID, Reason: catalog.MovedByOrder, Actor: by, Units: units, Gifts: spare})
	if err == nil && len(short) > 0 {
		err = errRepriced // the next attempt omits gifts that are out of stock
	}
	if err == nil && c.Also != nil {
		err = c.Also(ctx, tx, &o)
	}
	return o, err
}

// goods returns what is ordered: the buyer's cart, or what the shop entered.
func (c *Checkout) goods(ctx context.Context, r store.Reader) (sales.Cart, error) {
	if c.Manual != nil {
		return sales.Cart{Lines: c.Manual.Lines, PromoCode: c.Manual.PromoCode}, nil
	}
	return sales.GetCart(ctx, r, c.Cart)
}

// unsold returns the products of entered lines that cannot be put into a cart. Those of a cart were
// checked when they were added.
func (e *Entry) unsold(b *load.Basket, site *compile.Site) (ids []shop.ProductID) {
	if e == nil {
		return nil
	}
	for _, l := range e.Lines {
		good := b.Goods[l.Product]
		if (good == nil || !good.Published || !site.Hidden().ListsSection(good.Category)) && !slices.Contains(ids, l.Product) {
			ids = append(ids, l.Product)
		}
	}
	return ids
}

// redemptions lists the promotions that an order uses. Quantity prices do not count as such.
func redemptions(b *load.Basket) (list []sales.Redemption) {
	for _, a := range b.Applied {
		if a.Kind != string(price.KindQuantity) {
			list = append(list, sales.Redemption{Promotion: shop.PromotionID(a.Promotion), Code: a.Code, Amount: a.Amount})
		}
	}
	return list
}

// appliedView is a promotion as stored with an order.
type appliedView struct {
	Promotion shop.Int64 `json:"promotion_id"`
	Name      string     `json:"name"`
	Kind      string     `json:"kind"`
	Code      string     `json:"code"`
	Amount    int64      `json:"amount"`
}

func appliedViews(b *load.Basket) []appliedView {
	list := []appliedView{}
	for _, a := range b.Applied {
		list = append(list, appliedView(a))
	}
	return list
}

// deliver returns the delivery that the basket pays for; nil if the shop has no active option.
func (c *Checkout) deliver(options []sales.DeliveryOption, basket *load.Basket) (*sales.OrderDelivery, error) {
	if p := basket.Delivery; p != nil {
		d := &options[slices.IndexFunc(options, func(d sales.DeliveryOption) bool { return d.ID == p.ID })]
		return c.deliverBy(d, p)
	}
	offered := func(d sales.DeliveryOption) bool { return d.IsActive && (c.Delivery == 0 || d.ID == c.Delivery) }
	switch {
	case slices.ContainsFunc(options, offered):
		return nil, sales.ErrDeliveryNotPossible.At("delivery_option_id")
	case c.Delivery != 0:
		return nil, sales.ErrDeliveryNotFound.At("delivery_option_id").With(c.Delivery.String())
	}
	return nil, nil
}

func (c *Checkout) deliverBy(d *sales.DeliveryOption, p *price.Possible) (*sales.OrderDelivery, error) {
	if d.NeedsAddress && !shop.HasAddress(c.Address) {
		return nil, ErrAddressRequired.At("address").With("an object with street or city, or a text")
	}
	made := &sales.OrderDelivery{ID: p.ID, Name: p.Name, Kind: p.Kind, Price: p.Price, Days: p.Days, Point: d.Point(c.Point)}
	if c.Point != "" && made.Point == nil {
		return nil, sales.ErrDeliveryNotFound.At("delivery_point_id").With(string(c.Point))
	}
	return made, nil
}

// singleTax returns the tax of an order in a shop with one rate, else nil.
func singleTax(t *shop.Taxes, r *price.Receipt) *sales.OrderTax {
	if t == nil || t.TaxTable != nil || len(r.Taxes) == 0 {
		return nil
	}
	return &sales.OrderTax{TaxRate: r.Taxes[0].TaxRate, Amount: r.Taxes[0].Amount}
}

// lines returns the lines of the order as the cart showed them.
func lines(b *load.Basket) (out []sales.OrderLine, err error) {
	for i := range b.Lines {
		l := &b.Lines[i]
		line := sales.OrderLine{
			Product: l.Product, Variant: l.Price.Chosen(), Key: l.Key, Name: l.Name(), SKU: l.SKU(), Image: l.Image(), Quantity: l.Quantity,
			Unit: l.Price.Unit, Base: l.Price.Base, Agreed: l.Price.Source == price.FromAgreement, Gift: l.Price.Gift, Data: l.Echo(), Taxes: l.Price.TaxRates(),
		}
		if parts := b.Parts(l.Good); len(parts) > 0 {
			if line.Set, err = json.Marshal(parts); err != nil {
				return nil, err
			}
		}
		out = append(out, line)
	}
	return out, nil
}
