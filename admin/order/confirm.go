package order

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

const (
	maxAddress = 8 << 10 // bytes
)

// ErrMethodInactive is returned for a payment method that the shop does not offer.
var ErrMethodInactive = shop.Refuse(shop.FailedPrecondition, "PAYMENT_METHOD_INACTIVE").When("the shop does not offer this payment method").At("payment_method")

// errAddress is returned for an address that is too long.
var errAddress = shop.ErrInvalidRequest.With("address may have at most 8192 bytes").About("address")

// terms are what a buyer and the shop agree on beside the goods.
type terms struct {
	Contact struct {
		Name      string `json:"name" required:"always" len:"255" refuse:"INVALID_REQUEST"`
		Phone     string `json:"phone" required:"always" len:"64" refuse:"INVALID_REQUEST"`
		Email     string `json:"email" len:"254" refuse:"INVALID_REQUEST"`
		VATNumber string `json:"vat_number" len:"64" refuse:"INVALID_REQUEST" doc:"of a business: the prefix of a country and its number"`
	} `json:"contact" required:"always"`
	Comment       string          `json:"comment" len:"4000" refuse:"INVALID_REQUEST"`
	Address       json.RawMessage `json:"address"`
	Delivery      shop.DeliveryID `json:"delivery_option_id" doc:"0: the first possible one"`
	Point         shop.PointID    `json:"delivery_point_id" len:"64" refuse:"INVALID_REQUEST" doc:"of a pickup; empty: the first one"`
	PaymentMethod string          `json:"payment_method" len:"64" refuse:"INVALID_REQUEST"`
}

// checkout returns the checkout with these terms, after checking what needs no transaction.
func (os *Orders) checkout(ctx context.Context, company shop.CompanyID, t terms) (c Checkout, err error) {
	if len(t.Address) > maxAddress {
		return c, errAddress
	}
	if t.PaymentMethod != "" {
		takes, err := os.Takes(ctx, company, t.PaymentMethod)
		if err != nil || !takes {
			return c, cmp.Or(err, error(ErrMethodInactive))
		}
	}
	return Checkout{
		Contact: sales.Contact(t.Contact), Comment: t.Comment, Address: t.Address, Delivery: t.Delivery, Point: t.Point, PaymentMethod: t.PaymentMethod,
	}, nil
}

type confirmRequest struct {
	CompanyID shop.CompanyID `json:"company_id"`
	terms
	Expected      shop.Int64 `json:"expected_total" doc:"of the goods, as shown to the buyer; 0: not checked"`
	ExpectedGrand shop.Int64 `json:"expected_grand_total" doc:"as shown to the buyer; 0: not checked"`
}

// confirm turns the caller's cart into an order.
func (os *Orders) confirm(ctx context.Context, c *api.Call, in confirmRequest) (out api.Result[orderView], err error) {
	company, err := c.BuyerShop(in.CompanyID)
	if errors.Is(err, store.ErrShopNotFound) {
		err = ErrShopUnavailable
	}
	if err != nil {
		return out, err
	}
	if c.ByKey() {
		company = c.Company
	}
	if company == 0 {
		return out, store.ErrShopNotFound.At("company_id").With("required outside the storefront of the shop")
	}
	made, err := os.checkout(ctx, company, in.terms)
	if err != nil {
		return out, err
	}
	made.Expected, made.ExpectedGrand = int64(in.Expected), int64(in.ExpectedGrand)
	return os.place(ctx, c, company, made, buyer)
}

// place places an order and returns it as the caller's side sees it.
func (os *Orders) place(ctx context.Context, c *api.Call, company shop.CompanyID, made Checkout, who side) (out api.Result[orderView], err error) {
	o, err := Place(ctx, os.Store, c.Shop, company, c.Person, made, os.Now())
	if errors.Is(err, store.ErrShopNotFound) { // the shop was deleted meanwhile
		err = ErrShopUnavailable
	}
	if err == nil {
		o, err = sales.GetOrder(ctx, os.Store.Shop(company), o.ID) // with the ids of its lines
	}
	if err != nil {
		return out, err
	}
	return os.wrap(ctx, o, who)
}
