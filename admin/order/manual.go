package order

import (
	"context"
	"encoding/json"

	"vitrine/admin/api"
	"vitrine/compile/price"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

// manualRequest is an order that the shop enters for a buyer, such as one made by phone.
type manualRequest struct {
	terms
	Items       []manualItem `json:"items" max:"100" refuse:"INVALID_REQUEST"`
	PromoCode   string       `json:"promo_code" doc:"a code that does not apply is ignored; promotions[] of the order lists what applied"`
	PaymentLink bool         `json:"send_payment_link" doc:"write to contact.email with a link that opens the order to pay it, without an account"`
}

type manualItem struct {
	Product  shop.ProductID `json:"product_id"`
	Key      string         `json:"key" len:"64" refuse:"INVALID_REQUEST" doc:"distinguishes lines of one product; empty: default. v<id> chooses this variant, if data names none"`
	Quantity *int64         `json:"quantity" doc:"1 to 9999; absent: 1"`
	Data     shop.Object    `json:"data" doc:"as in a cart, such as {variant_id}"`
	Agreed   *int64         `json:"agreed_price" doc:"of one unit, 0 to 2000000000, instead of the shop's price"`
}

// manual places an order that the shop enters. It does not touch the cart of the caller.
func (os *Orders) manual(ctx context.Context, c *api.Call, in manualRequest) (out api.Result[orderView], err error) {
	lines, err := linesOf(in.Items)
	if err != nil {
		return out, err
	}
	if err := load.CheckKeys(ctx, os.Store.Shop(c.Company), lines); err != nil {
		return out, shop.At(err, "items")
	}
	made, err := os.checkout(ctx, c.Company, in.terms)
	if err != nil {
		return out, err
	}
	made.Manual = &Entry{Lines: lines, PromoCode: price.CleanCode(in.PromoCode), By: c.Person, PaymentLink: in.PaymentLink}
	return os.place(ctx, c, c.Company, made, seller)
}

// linesOf returns the lines of the items.
func linesOf(items []manualItem) (lines []sales.CartLine, err error) {
	type at struct {
		product shop.ProductID
		key     string
	}
	known := map[at]bool{}
	for n, i := range items {
		refuse := func(field, why string) error {
			return shop.AtEntry(shop.ErrInvalidRequest.At(field).With(why), "items", n)
		}
		line := sales.CartLine{Product: i.Product, Key: i.Key, Quantity: 1, Data: json.RawMessage(i.Data), Agreed: i.Agreed}
		if line.Key == "" {
			line.Key = "default"
		}
		if i.Quantity != nil {
			line.Quantity = *i.Quantity
		}
		switch {
		case !price.ValidKey(line.Key):
			return nil, refuse("key", "1 to 64 characters without a slash")
		case known[at{line.Product, line.Key}]:
			return nil, refuse("key", "another item has this product and key")
		case line.Quantity < 1 || line.Quantity > price.MaxQuantity:
			return nil, refuse("quantity", "1 to 9999")
		case !price.ValidData(line.Data):
			return nil, refuse("data", "must be an object of at most 16384 bytes")
		case i.Agreed != nil && (*i.Agreed < 0 || *i.Agreed > price.MaxTotal):
			return nil, refuse("agreed_price", "0 to 2000000000, or null")
		}
		known[at{line.Product, line.Key}] = true
		lines = append(lines, line)
	}
	return lines, nil
}
