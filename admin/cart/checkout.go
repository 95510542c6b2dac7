package cart

import (
	"context"
	"encoding/json"
	"errors"

	"vitrine/admin/api"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

// Inside returns the endpoints that only the edge of this process calls, to draw the pages
// where visitors buy. One of them returns all that a page shows, so that a page costs one call.
func (cs *Carts) Inside() []api.Endpoint {
	return []api.Endpoint{
		{Method: "GET", Path: "/inside/cart", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(cs.goods)},
		{Method: "GET", Path: "/inside/checkout", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Read, Do: api.Handle(cs.checkout)},
		{Method: "POST", Path: "/inside/cart/open", Auth: api.SessionOnly, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(sales.ErrCartLink, sales.ErrCartFull), Do: api.Handle(cs.open)},
		{Method: "POST", Path: "/inside/reminders/refuse", Auth: api.Public, Contour: api.LiveOnly, Class: api.Write, Errors: api.Refuses(sales.ErrCartLink), Do: api.Handle(cs.refuseReminders)},
	}
}

// noDelivery chooses none.
const noDelivery shop.DeliveryID = -1

// goods returns the cart as pages show it before the checkout: with the taxes of the goods alone.
func (cs *Carts) goods(ctx context.Context, c *api.Call, _ api.None) (priced, error) {
	return cs.current(ctx, c, c.Storefront, load.Pricing{Delivery: noDelivery})
}

// checkoutView is what the page of a checkout shows.
type checkoutView struct {
	Cart  cartView     `json:"cart"`
	Offer checkoutWays `json:"offer"` // empty for an empty cart, which nobody can check out
	Buyer sales.Buyer  `json:"buyer"` // likewise
}

// checkoutWays are the ways in which a shop delivers and is paid.
type checkoutWays struct {
	Options []optionView `json:"delivery_options"`
	Methods []methodView `json:"payment_methods"`
	Asks    load.Asks    `json:"asks"`

	AsksConsent bool `json:"asks_consent"` // whether a reminder of the cart needs the buyer's consent
}

type optionView struct {
	ID           shop.DeliveryID      `json:"id"`
	Description  string               `json:"description"`
	FreeFrom     *int64               `json:"free_from"`
	Points       []shop.DeliveryPoint `json:"points"`
	NeedsAddress bool                 `json:"needs_address"`
	GrandTotal   int64                `json:"grand_total"` // of the order with this option, if it is possible
	Taxes        []shop.Tax           `json:"taxes"`       // likewise
}

type methodView struct {
	Method       string `json:"method"`
	Title        string `json:"title"`
	Instructions string `json:"instructions"`
}

// checkoutRequest is the form of a checkout as far as its sums depend on it. Without a sent form
// they are those of the typed one, or else of the buyer's default address.
type checkoutRequest struct {
	Sent      bool            `query:"sent" json:"-"`
	Country   string          `query:"country" json:"-" len:"body"`
	Region    string          `query:"region" json:"-" len:"body"`
	Postcode  string          `query:"postcode" json:"-" len:"body"`
	Delivery  shop.DeliveryID `query:"delivery_option_id" json:"-"`
	VATNumber string          `query:"vat_number" json:"-" len:"body"`
}

// how returns how the cart of a buyer is priced.
func (in checkoutRequest) how(b sales.Buyer) (how load.Pricing, err error) {
	if in.Sent {
		number, _ := shop.ParseVATNumber(in.VATNumber) // an unfinished one has no effect
		return load.Pricing{To: shop.NewDestination(in.Country, in.Region, in.Postcode), Delivery: in.Delivery, VATNumber: number}, nil
	}
	var typed typedAtCheckout
	var book []json.RawMessage
	if err := errors.Join(json.Unmarshal(b.Typed, &typed), json.Unmarshal(b.Addresses, &book)); err != nil {
		return how, err
	}
	address := typed.Address
	if !shop.HasPlace(address) && len(book) > 0 {
		address = book[0]
	}
	number, _ := shop.ParseVATNumber(typed.Contact.VATNumber)
	return load.Pricing{To: shop.DestinationOf(address), Delivery: typed.Delivery, VATNumber: number}, nil
}

func (cs *Carts) checkout(ctx context.Context, c *api.Call, in checkoutRequest) (out api.Result[checkoutView], err error) {
	r, cached, err := c.Shop(ctx, c.Storefront)
	if err != nil {
		return out, err
	}
	cart, err := sales.GetCart(ctx, r, c.Person)
	if err != nil {
		return out, err
	}
	buyer, err := sales.GetBuyer(ctx, r, c.Person)
	if err != nil {
		return out, err
	}
	how, err := in.how(buyer)
	if err != nil {
		return out, err
	}
	how.Buyer = c.Person
	how.Hints = true
	basket, err := cs.Pricer.Fill(ctx, r, cached, cart, how)
	if err != nil {
		return out, err
	}
	if how.Delivery != 0 && basket.Delivery == nil { // the chosen delivery is not possible any more
		basket.Receipt = basket.With(0)
	}
	if out.Result.Cart = view(basket, cart, cached); len(basket.Lines) == 0 {
		return out, nil
	}
	out.Result.Buyer = buyer
	ways, err := cs.Pricer.Ways(ctx, cached)
	out.Result.Offer = viewWays(ways, basket)
	return out, err
}

func viewWays(ways load.Ways, basket *load.Basket) checkoutWays {
	v := checkoutWays{Asks: ways.Asks, AsksConsent: ways.AsksConsent}
	for _, d := range ways.Options {
		with := basket.With(d.ID)
		v.Options = append(v.Options, optionView{
			ID: d.ID, Description: d.Description, FreeFrom: d.FreeFrom, Points: d.Points, NeedsAddress: d.NeedsAddress,
			GrandTotal: with.Grand, Taxes: with.Taxes,
		})
	}
	for _, m := range ways.Methods {
		v.Methods = append(v.Methods, methodView{m.Method, m.Title, m.Instructions})
	}
	return v
}
