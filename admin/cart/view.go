package cart

import (
	"context"
	"errors"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/compile/price"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// priced is the response with a cart.
type priced = api.Result[cartView]

// cartView is a priced cart (document 2, 2.1).
type cartView struct {
	Items          []lineView      `json:"items"`
	Subtotal       int64           `json:"subtotal"` // to be paid for the goods
	SubtotalBefore int64           `json:"subtotal_before"`
	DiscountTotal  int64           `json:"discount_total"`
	Applied        []appliedView   `json:"applied"`
	Missing        []missingView   `json:"missing"` // promotions that more units or money would trigger
	Taxes          []shop.Tax      `json:"taxes"`
	TaxTotal       int64           `json:"tax_total"`
	PromoCode      string          `json:"promo_code"`
	PromoRejected  price.Rejection `json:"promo_rejected"`
	Count          int64           `json:"count"` // units
	Total          int             `json:"total"` // lines
	Currency       string          `json:"currency"`
	Version        shop.Int64      `json:"version"`
	Deliveries     []deliveryView  `json:"deliveries"`  // that are possible
	Delivery       *deliveryView   `json:"delivery"`    // in grand_total; null: none, or the chosen one is not possible
	GrandTotal     int64           `json:"grand_total"` // to be paid
	Explain        []noteView      `json:"explain,omitempty"`
}

// deliveryView is a way in which the goods can be delivered.
type deliveryView struct {
	ID    shop.DeliveryID   `json:"id"`
	Name  string            `json:"name"`
	Kind  shop.DeliveryKind `json:"kind"`
	Price int64             `json:"price"`
	Days  *int              `json:"days"` // until the goods arrive at the latest; null: not stated
}

type lineView struct {
	Product   shop.ProductID `json:"product_id"`
	CompanyID shop.CompanyID `json:"company_id"`
	Key       string         `json:"key"`
	Quantity  int64          `json:"quantity"`
	Data      shop.Object    `json:"data"`
	Name      string         `json:"name"`
	URL       string         `json:"url"`
	Image     string         `json:"image"`
	SKU       string         `json:"sku"`
	Price     priceView      `json:"price"`
	Base      int64          `json:"base_unit_price"`
	Total     int64          `json:"total"`
	InStock   bool           `json:"in_stock"`
	Available *int           `json:"available"` // null: not tracked
	Taxes     []shop.TaxRate `json:"taxes"`
	IsGift    bool           `json:"is_gift"`
	IsSet     bool           `json:"is_combo"`
	Parts     []partView     `json:"combo_items"`
}

type priceView struct {
	Price         int64  `json:"price"`
	OldPrice      int64  `json:"old_price"`
	Currency      string `json:"currency"`
	PromotionName string `json:"promotion_name"`
}

type partView struct {
	Product  shop.ProductID `json:"product_id"`
	Variant  shop.VariantID `json:"variant_id"`
	Quantity int64          `json:"quantity"`
	Name     string         `json:"name"`
}

type appliedView struct {
	Promotion shop.Int64 `json:"promotion_id"`
	Name      string     `json:"name"`
	Kind      string     `json:"kind"`
	Code      string     `json:"code"`
	Amount    int64      `json:"amount"`
}

// missingView is a promotion that applies once the cart has this much more.
type missingView struct {
	Promotion shop.Int64 `json:"promotion_id"`
	Name      string     `json:"name"`
	Kind      string     `json:"kind"`
	Amount    int64      `json:"amount"`   // missing money; 0: units are missing
	Quantity  int64      `json:"quantity"` // units
}

type noteView struct {
	Key     string         `json:"key"`
	Product shop.ProductID `json:"product_id"`
	Step    string         `json:"step"`
	Rule    string         `json:"rule"`
	Before  int64          `json:"before"`
	After   int64          `json:"after"`
	Why     string         `json:"why"`
}

type readRequest struct {
	CompanyID shop.CompanyID  `query:"company_id" json:"-" doc:"the shop"`
	Explain   bool            `query:"explain" json:"-" doc:"1 adds an explanation of every number"`
	Country   string          `query:"country" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"where it is delivered: ISO 3166-1 alpha-2"`
	Region    string          `query:"region" json:"-" len:"255" refuse:"INVALID_REQUEST" doc:"state or region; in the US, Canada and Australia the part of ISO 3166-2 after the dash"`
	Postcode  string          `query:"postcode" json:"-" len:"64" refuse:"INVALID_REQUEST"`
	Delivery  shop.DeliveryID `query:"delivery_option_id" json:"-" doc:"the chosen delivery; without it the first possible one"`
	VATNumber string          `query:"vat_number" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"of a business: the prefix of a country and its number"`
}

// read returns the buyer's cart. It is empty if the buyer has none in the shop or the shop does
// not exist.
func (cs *Carts) read(ctx context.Context, c *api.Call, in readRequest) (priced, error) {
	company, err := c.BuyerShop(in.CompanyID)
	if errors.Is(err, store.ErrShopNotFound) || err == nil && company == 0 {
		return emptyCart, nil
	}
	if err != nil {
		return priced{}, err
	}
	number, err := shop.ParseVATNumber(in.VATNumber)
	if err != nil {
		return priced{}, shop.At(err, "vat_number")
	}
	v, err := cs.current(ctx, c, company, load.Pricing{
		Explain: in.Explain, To: shop.NewDestination(in.Country, in.Region, in.Postcode), VATNumber: number,
		Delivery: in.Delivery,
	})
	if errors.Is(err, store.ErrShopNotFound) {
		return emptyCart, nil
	}
	return v, err
}

// emptyCart is the cart for an unknown or missing shop.
var emptyCart = api.Wrap(view(&load.Basket{Receipt: &price.Receipt{}}, sales.Cart{}, load.CachedShop{}))

// current reads and prices the buyer's cart. Lines of products that are deleted or closed to
// the buyer are left out; closed ones come back when the buyer opens them.
func (cs *Carts) current(ctx context.Context, c *api.Call, company shop.CompanyID, how load.Pricing) (v priced, err error) {
	cart, err := sales.GetCart(ctx, cs.Store.Shop(company), c.Person)
	if err != nil {
		return v, err
	}
	how.Buyer = c.Person
	return cs.price(ctx, c, company, cart, how)
}

func (cs *Carts) price(ctx context.Context, c *api.Call, company shop.CompanyID, cart sales.Cart, how load.Pricing) (v priced, err error) {
	r, cached, err := c.Shop(ctx, company)
	if err != nil {
		return v, err
	}
	return cs.priceIn(ctx, r, cached, cart, how)
}

func (cs *Carts) priceIn(ctx context.Context, r store.Reader, cached load.CachedShop, cart sales.Cart, how load.Pricing) (v priced, err error) {
	how.Hints = true
	basket, err := cs.Pricer.Fill(ctx, r, cached, cart, how)
	if err != nil {
		return v, err
	}
	return api.Wrap(view(basket, cart, cached)), nil
}

func view(b *load.Basket, cart sales.Cart, cached load.CachedShop) cartView {
	v := cartView{
		Items: []lineView{}, Subtotal: b.Subtotal, SubtotalBefore: b.Before, DiscountTotal: b.Discount(), Applied: []appliedView{}, Missing: []missingView{}, Taxes: append([]shop.Tax{}, b.Taxes...), TaxTotal: b.TaxTotal,
		PromoCode: cart.PromoCode, PromoRejected: b.Rejected, Total: len(b.Lines), Currency: cached.Company.Currency,
		Version: shop.Int64(cart.Version), Deliveries: []deliveryView{}, Delivery: (*deliveryView)(b.Delivery), GrandTotal: b.Grand,
	}
	for _, d := range b.Deliveries {
		v.Deliveries = append(v.Deliveries, deliveryView(d))
	}
	for _, a := range b.Applied {
		v.Applied = append(v.Applied, appliedView(a))
	}
	for _, n := range b.Near {
		v.Missing = append(v.Missing, missingView(n))
	}
	for _, n := range b.Explain {
		v.Explain = append(v.Explain, noteView(n))
	}
	for i := range b.Lines {
		v.Items = append(v.Items, viewLine(b, &b.Lines[i], cached))
		v.Count += b.Lines[i].Quantity
	}
	return v
}

func viewLine(b *load.Basket, l *load.BasketLine, cached load.CachedShop) lineView {
	v := lineView{
		Product: l.Product, CompanyID: cached.Company.ID, Key: l.Key, Quantity: l.Quantity, Data: shop.Object(l.Echo()), Name: l.Name(), Image: l.Image(),
		SKU: l.SKU(), Base: l.Price.Base, Total: l.Price.Total(), Taxes: l.Price.TaxRates(), IsGift: l.Price.Gift, IsSet: len(l.Good.Set) > 0, Parts: []partView{},
		Price: priceView{Price: l.Price.Unit, OldPrice: l.OldPrice(), Currency: cached.Company.Currency, PromotionName: l.Price.Promotion},
		URL:   cached.Site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(l.Product)}),
	}
	if v.Data == nil {
		v.Data = shop.Object("{}")
	}
	v.Available = b.Available(l)
	v.InStock = v.Available == nil || *v.Available > 0
	for _, part := range b.Parts(l.Good) {
		v.Parts = append(v.Parts, partView{Product: part.Product, Variant: part.Variant, Quantity: part.Quantity, Name: part.Name})
	}
	return v
}
