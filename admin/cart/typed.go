package cart

import (
	"context"
	"encoding/json"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// The checkout form of a buyer is saved with their cart, so that it is still filled in after
// their session has ended. It is not kept in the browser, where scripts of the shop's other
// pages could read it.

// maxTyped is the size limit of the address in the form, in bytes of JSON.
const maxTyped = 8192

var errTyped = shop.ErrInvalidRequest.With("address may have at most 8192 bytes").About("address")

type typedAtCheckout struct {
	Contact struct {
		Name      string `json:"name" len:"255" refuse:"INVALID_REQUEST"`
		Phone     string `json:"phone" len:"64" refuse:"INVALID_REQUEST"`
		Email     string `json:"email" len:"254" refuse:"INVALID_REQUEST"`
		VATNumber string `json:"vat_number" len:"64" refuse:"INVALID_REQUEST"`
	} `json:"contact"`
	Address       json.RawMessage `json:"address,omitempty"`
	Comment       string          `json:"comment" len:"4000" refuse:"INVALID_REQUEST"`
	Delivery      shop.DeliveryID `json:"delivery_option_id"`
	Point         shop.PointID    `json:"delivery_point_id" len:"64" refuse:"INVALID_REQUEST"`
	PaymentMethod string          `json:"payment_method" len:"64" refuse:"INVALID_REQUEST"`
}

type typedRequest struct {
	CompanyID shop.CompanyID `json:"company_id"`
	typedAtCheckout
}

type typedQuery struct {
	CompanyID shop.CompanyID `query:"company_id" json:"-"`
}

func (cs *Carts) typed(ctx context.Context, c *api.Call, in typedQuery) (out api.Result[typedAtCheckout], err error) {
	company, err := c.BuyerShop(in.CompanyID)
	if err != nil {
		return out, err
	}
	if company == 0 {
		return out, store.ErrShopNotFound.At("company_id").With("name the shop")
	}
	kept, err := sales.CheckoutInput(ctx, cs.Store.Shop(company), c.Person)
	if err == nil {
		err = json.Unmarshal(kept, &out.Result)
	}
	return out, err
}

func (cs *Carts) keepTyped(ctx context.Context, c *api.Call, in typedRequest) (api.None, error) {
	company, err := c.BuyerShop(in.CompanyID)
	if err != nil {
		return api.None{}, err
	}
	if company == 0 {
		return api.None{}, store.ErrShopNotFound.At("company_id").With("name the shop")
	}
	if len(in.Address) > maxTyped {
		return api.None{}, errTyped
	}
	kept, err := json.Marshal(in.typedAtCheckout)
	if err != nil {
		return api.None{}, err
	}
	return api.None{}, cs.Store.Write(ctx, company, func(tx *store.Tx) error { return sales.SaveCheckoutInput(ctx, tx, c.Person, kept) })
}
