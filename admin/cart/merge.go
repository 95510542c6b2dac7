package cart

import (
	"context"
	"encoding/json"
	"time"

	"vitrine/admin/api"
	"vitrine/compile/price"
	"vitrine/internal/budget"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// Refusals of exceeded limits.
var (
	errTooManyQuotes = shop.ErrRateLimited.With("at most 60 quotes per minute and address")
	errTooManyCodes  = shop.ErrRateLimited.With("at most 30 wrong codes per minute")
	errTooManyItems  = shop.ErrInvalidRequest.At("items").With("at most 100 items")
)

// item is a line that a client keeps outside the stored cart.
type item struct {
	Product  shop.ProductID  `json:"product_id"`
	Key      string          `json:"key" len:"body"`
	Quantity int64           `json:"quantity"`
	Data     json.RawMessage `json:"data"`
}

type mergeRequest struct {
	CompanyID shop.CompanyID `json:"company_id"`
	MergeID   string         `json:"merge_id" len:"64"`
	Items     []mergeItem    `json:"items" max:"10000"`
}

// mergeItem is an item from a browser's storage, which may be corrupted: an invalid one is
// decoded as an empty item.
type mergeItem struct{ item }

// UnmarshalJSON never fails.
func (m *mergeItem) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &m.item) != nil {
		m.item = item{}
	}
	return nil
}

// merge adds lines to the stored cart (document 2, 4.1.3). It skips items beyond the hundredth
// and invalid ones. A quantity below one counts as one.
func (cs *Carts) merge(ctx context.Context, c *api.Call, in mergeRequest) (v priced, err error) {
	company, err := cs.named(c, in.CompanyID)
	if err != nil {
		return v, err
	}
	var items []item
	for _, i := range in.Items[:min(len(in.Items), price.MaxLines)] {
		items = append(items, i.item)
	}
	lines := linesOf(items)
	err = cs.change(ctx, c, company, func(tx *store.Tx) error {
		if in.MergeID != "" {
			if first, err := sales.RecordMerge(ctx, tx, c.Person, in.MergeID); err != nil || !first {
				return err
			}
		}
		_, err := sales.AddToCart(ctx, tx, c.Person, lines...)
		return err
	})
	if err != nil {
		return v, err
	}
	return cs.current(ctx, c, company, load.Pricing{})
}

// linesOf returns the lines of the valid items. Items with the same product and key become one
// line.
func linesOf(items []item) (lines []sales.CartLine) {
	type at struct {
		product shop.ProductID
		key     string
	}
	known := map[at]int{}
	for _, i := range items {
		if i.Key == "" {
			i.Key = "default"
		}
		if !price.ValidKey(i.Key) || !price.ValidData(i.Data) {
			continue
		}
		i.Quantity = min(max(i.Quantity, 1), price.MaxQuantity)
		n, again := known[at{i.Product, i.Key}]
		if !again {
			known[at{i.Product, i.Key}] = len(lines)
			lines = append(lines, sales.CartLine{Product: i.Product, Key: i.Key, Quantity: i.Quantity, Data: i.Data})
			continue
		}
		lines[n].Quantity = min(lines[n].Quantity+i.Quantity, price.MaxQuantity)
		if len(i.Data) > 0 {
			lines[n].Data = i.Data
		}
	}
	return lines
}

type codeRequest struct {
	CompanyID shop.CompanyID `json:"company_id"`
	Code      string         `json:"code"`
}

// setCode stores a code, whether it is valid or not; the response gives the reason why it is
// rejected.
func (cs *Carts) setCode(ctx context.Context, c *api.Call, in codeRequest) (v priced, err error) {
	made, wait, err := cs.guess(ctx, c)
	if err != nil {
		return v, err
	}
	if wait > 0 {
		return v, errTooManyCodes.RetryAfter(budget.Seconds(wait))
	}
	v, err = cs.storeCode(ctx, c, in.CompanyID, price.CleanCode(in.Code))
	return v, cs.settle(ctx, made, v, err)
}

func (cs *Carts) dropCode(ctx context.Context, c *api.Call, in codeRequest) (priced, error) {
	return cs.storeCode(ctx, c, in.CompanyID, "")
}

func (cs *Carts) storeCode(ctx context.Context, c *api.Call, named shop.CompanyID, code string) (v priced, err error) {
	company, err := cs.named(c, named)
	if err != nil {
		return v, err
	}
	if err := cs.change(ctx, c, company, func(tx *store.Tx) error { return sales.SetPromoCode(ctx, tx, c.Person, code) }); err != nil {
		return v, err
	}
	return cs.current(ctx, c, company, load.Pricing{})
}

type quoteRequest struct {
	CompanyID shop.CompanyID  `json:"company_id"`
	Items     []item          `json:"items" max:"10000"`
	PromoCode string          `json:"promo_code"`
	Explain   bool            `json:"explain"`
	Country   string          `json:"country" len:"64" refuse:"INVALID_REQUEST"`
	Region    string          `json:"region" len:"255" refuse:"INVALID_REQUEST"`
	Postcode  string          `json:"postcode" len:"64" refuse:"INVALID_REQUEST"`
	Delivery  shop.DeliveryID `json:"delivery_option_id" doc:"the chosen delivery; without it the first possible one"`
	VATNumber string          `json:"vat_number" len:"64" refuse:"INVALID_REQUEST" doc:"of a business: the prefix of a country and its number"`

	At       *time.Time      `json:"at" doc:"for members of the shop: the moment whose promotions count; by default now"`
	Customer shop.CustomerID `json:"customer_id" doc:"for owners, admins and keys with customers:read: the customer who would buy"`
}

// asBuyer applies the fields of a request with which a member asks what a buyer would pay at a
// moment.
func (cs *Carts) asBuyer(ctx context.Context, c *api.Call, company shop.CompanyID, in quoteRequest, how *load.Pricing) (err error) {
	switch {
	case in.At == nil && in.Customer == 0:
		return nil
	case c.Visitor(company) || c.Buyer:
		return api.ErrDenied.With("at and customer_id are for members of the shop")
	case in.Customer != 0 && !c.Has("customers:read"):
		return api.ErrDenied.At("customer_id").With("only callers who may read customers")
	case in.At != nil && (in.At.Year() < 2000 || in.At.Year() > 9999):
		return shop.ErrInvalidRequest.At("at").With("between the years 2000 and 9999")
	}
	if in.At != nil {
		how.At = *in.At
	}
	if how.Buyer = 0; in.Customer != 0 {
		how.Buyer, how.Contact, err = sales.CustomerContact(ctx, cs.Store.Shop(company), in.Customer)
	}
	return err
}

// quote prices goods that are in no cart (document 2, 4.1.4): it leaves out lines of products
// that are not published or are closed to the caller, ignores stock and does not use up codes.
func (cs *Carts) quote(ctx context.Context, c *api.Call, in quoteRequest) (v priced, err error) {
	if _, wait := cs.quotes.Take(c.Network()); wait > 0 {
		return v, errTooManyQuotes.RetryAfter(budget.Seconds(wait))
	}
	if len(in.Items) > price.MaxLines {
		return v, errTooManyItems
	}
	company, err := c.TenantOrNamed(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return v, err
	}
	number, err := shop.ParseVATNumber(in.VATNumber)
	if err != nil {
		return v, shop.At(err, "vat_number")
	}
	how := load.Pricing{
		Buyer: c.Person, Offered: true, Explain: in.Explain, To: shop.NewDestination(in.Country, in.Region, in.Postcode), Delivery: in.Delivery,
		VATNumber: number,
	}
	if err := cs.asBuyer(ctx, c, company, in, &how); err != nil {
		return v, err
	}
	code := price.CleanCode(in.PromoCode)
	cart := sales.Cart{PromoCode: code, Lines: linesOf(in.Items)}
	r, cached, err := c.Shop(ctx, company)
	if err != nil {
		return v, err
	}
	if err := load.CheckKeys(ctx, r, cart.Lines); err != nil {
		return v, shop.At(err, "items")
	}
	var made guess
	var wait time.Duration
	if code != "" {
		if made, wait, err = cs.guess(ctx, c); err != nil {
			return v, err
		}
		if wait > 0 {
			cart.PromoCode = ""
		}
	}
	v, err = cs.priceIn(ctx, r, cached, cart, how)
	if wait > 0 {
		v.Result.PromoCode, v.Result.PromoRejected = code, price.RateLimited
		return v, err
	}
	return v, cs.settle(ctx, made, v, err)
}

// named returns the shop of a call about a cart.
func (cs *Carts) named(c *api.Call, company shop.CompanyID) (shop.CompanyID, error) {
	company, err := c.BuyerShop(company)
	if err == nil && company == 0 {
		err = store.ErrShopNotFound.At("company_id").With("name the shop")
	}
	return company, err
}
