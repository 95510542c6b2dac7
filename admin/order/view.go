package order

import (
	"context"
	"encoding/json"
	"time"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

// orderView is an order as shown to its buyer and its seller.
type orderView struct {
	ID              shop.OrderID         `json:"id"`
	Number          int64                `json:"number"`
	CompanyID       shop.CompanyID       `json:"company_id"`
	UserID          shop.UserID          `json:"user_id"`
	Source          sales.OrderSource    `json:"source"`    // storefront, manual or assistant
	Assistant       *assistantView       `json:"assistant"` // the program of an order with the source assistant; else null
	Status          shop.OrderStatus     `json:"status"`
	StatusChangedAt time.Time            `json:"status_changed_at"`
	StatusBy        shop.UserID          `json:"status_by"`
	ItemsTotal      int64                `json:"items_total"`
	DiscountTotal   int64                `json:"discount_total"`
	Currency        string               `json:"currency"`
	Promotions      shop.Objects         `json:"promotions"`
	Delivery        *sales.OrderDelivery `json:"delivery"` // null: the shop had no delivery options
	GrandTotal      int64                `json:"grand_total"`
	Tax             *sales.OrderTax      `json:"tax"` // of a shop with one rate, included in grand_total; else null
	Taxes           []shop.Tax           `json:"taxes"`
	TaxTotal        int64                `json:"tax_total"`
	Invoice         *sales.IssuedPaper   `json:"invoice"`     // null: not issued
	CreditNote      *sales.IssuedPaper   `json:"credit_note"` // likewise
	Contact         sales.Contact        `json:"contact"`
	Address         json.RawMessage      `json:"address"`
	Comment         string               `json:"comment"`
	Items           []lineView           `json:"items"`
	PaymentMethod   string               `json:"payment_method"` // chosen at the checkout, may be empty
	Payment         *paymentView         `json:"payment"`        // null: no payment was attempted
	Payments        []paymentView        `json:"payments"`       // every attempt, the oldest first
	ShipmentStatus  shop.ShipmentStatus  `json:"shipment_status"`
	Shipments       []shipmentView       `json:"shipments"`      // the oldest first
	CancelUntil     *time.Time           `json:"cancel_until"`   // how long the buyer may cancel it; null: they cannot
	Note            *string              `json:"note,omitempty"` // for the shop's members only, like tags
	Tags            []string             `json:"tags,omitzero"`
	CreatedAt       time.Time            `json:"created_at"`
	UpdatedAt       time.Time            `json:"updated_at"`
	Unread          int                  `json:"unread"` // messages of the other side
}

// assistantView is the program through which an order was made.
type assistantView struct {
	Protocol   string     `json:"protocol"`    // ucp or acp
	Platform   string     `json:"platform"`    // the address of its profile, or the name of its token
	PlatformID shop.Int64 `json:"platform_id"` // in GET /v1/shop/assistants
}

type lineView struct {
	ID        shop.Int64                 `json:"id"`
	ProductID shop.ProductID             `json:"product_id"`
	VariantID shop.VariantID             `json:"variant_id"`
	Key       string                     `json:"key"`
	Name      string                     `json:"name"`
	SKU       string                     `json:"sku"`
	Image     string                     `json:"image"`
	URL       string                     `json:"url"`
	Quantity  int64                      `json:"quantity"`
	UnitPrice int64                      `json:"unit_price"`
	BasePrice int64                      `json:"base_unit_price"`
	Agreed    bool                       `json:"agreed"` // unit_price was agreed with the buyer
	Total     int64                      `json:"total"`
	IsGift    bool                       `json:"is_gift"`
	Taxes     []shop.TaxRate             `json:"taxes"`
	Data      shop.Object                `json:"data"`
	Parts     shop.JSON[[]sales.SetPart] `json:"combo_items"`
}

type paymentView struct {
	ID          shop.PaymentID `json:"id"`
	Method      string         `json:"method"`
	Provider    string         `json:"provider"`
	Status      string         `json:"status"`
	AmountMinor int64          `json:"amount_minor"`
	Currency    string         `json:"currency"`
	PaidAt      *time.Time     `json:"paid_at"`
	RefundedAt  *time.Time     `json:"refunded_at"`
	ProviderRef string         `json:"provider_ref"`
	Refused     string         `json:"refund_refused,omitempty"` // why the provider refused the last refund; for the shop's members only
}

// wrap returns the view of one order.
func (os *Orders) wrap(ctx context.Context, o sales.Order, who side) (out api.Result[orderView], err error) {
	list, err := os.views(ctx, []sales.Order{o}, func(sales.Order) side { return who })
	if err != nil {
		return out, err
	}
	return api.Wrap(list[0]), nil
}

// views returns the views of orders of one or several shops.
func (os *Orders) views(ctx context.Context, orders []sales.Order, who func(sales.Order) side) ([]orderView, error) {
	type at struct {
		company shop.CompanyID
		buyer   bool
	}
	ids := map[at][]shop.OrderID{}
	for _, o := range orders {
		k := at{o.Company, who(o) == buyer}
		ids[k] = append(ids[k], o.ID)
	}
	payments, unread, shipments := map[shop.OrderID]sales.Attempts{}, map[shop.OrderID]int{}, map[shop.OrderID][]sales.Shipment{}
	refused := map[shop.CompanyID]map[shop.PaymentID]string{}
	for k, of := range ids {
		paid, err := sales.Payments(ctx, os.Store.Shop(k.company), of)
		if err != nil {
			return nil, err
		}
		waiting, err := sales.Unread(ctx, os.Store.Shop(k.company), of, k.buyer)
		if err != nil {
			return nil, err
		}
		shipped, err := sales.Shipments(ctx, os.Store.Shop(k.company), of)
		if err != nil {
			return nil, err
		}
		if !k.buyer {
			if refused[k.company], err = sales.RefusedRefunds(ctx, os.Store.Shop(k.company), of); err != nil {
				return nil, err
			}
		}
		for _, id := range of {
			payments[id], unread[id], shipments[id] = paid[id], waiting[id], shipped[id]
		}
	}
	list := make([]orderView, len(orders))
	for i, o := range orders {
		list[i] = view(o, payments[o.ID], shipments[o.ID], unread[o.ID])
		if who(o) == seller {
			list[i].Note, list[i].Tags = &o.Note, o.Tags
			for n := range list[i].Payments {
				list[i].Payments[n].Refused = refused[o.Company][list[i].Payments[n].ID]
			}
		}
		cached, err := os.Sites.Current(ctx, os.Store.Shop(o.Company))
		if err != nil {
			return nil, err
		}
		list[i].CancelUntil = cancelUntil(o, cached.Company.BuyerCancelMinutes, os.Now())
		address(cached.Site, list[i].Items)
	}
	return list, nil
}

// address sets the current URLs of the products of lines; a deleted product has none.
func address(site *compile.Site, lines []lineView) {
	for i := range lines {
		lines[i].URL = site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(lines[i].ProductID)})
	}
}

func view(o sales.Order, payments sales.Attempts, shipments []sales.Shipment, unread int) orderView {
	v := orderView{
		ID: o.ID, Number: o.Number, CompanyID: o.Company, UserID: o.Person, Source: o.Source, Status: o.Status, StatusChangedAt: o.StatusChangedAt.UTC(),
		StatusBy: o.StatusBy, ItemsTotal: o.ItemsTotal, DiscountTotal: o.DiscountTotal, Currency: o.Currency,
		Promotions: shop.Objects(orJSON(o.Promotions, "[]")), Delivery: o.Delivery, GrandTotal: o.GrandTotal, Tax: o.Tax, Taxes: append([]shop.Tax{}, o.Taxes...), TaxTotal: o.TaxTotal(),
		Invoice: issued(o, shop.PaperInvoice), CreditNote: issued(o, shop.PaperCreditNote), Contact: o.Contact,
		Address: orJSON(o.Address, "null"), Comment: o.Comment, PaymentMethod: o.PaymentMethod, Items: []lineView{}, Payments: []paymentView{},
		ShipmentStatus: o.ShipmentStatus, Shipments: viewShipments(shipments), CreatedAt: o.CreatedAt.UTC(),
		UpdatedAt: o.UpdatedAt.UTC(), Unread: unread,
	}
	if by := o.Assistant; by != nil {
		v.Assistant = &assistantView{by.Protocol, by.Platform, shop.Int64(by.PlatformID)}
	}
	for _, l := range o.Lines {
		v.Items = append(v.Items, lineView{
			ID: shop.Int64(l.ID), ProductID: l.Product, VariantID: l.Variant, Key: l.Key, Name: l.Name, SKU: l.SKU, Image: l.Image, URL: l.URL,
			Quantity: l.Quantity, UnitPrice: l.Unit, BasePrice: l.Base, Agreed: l.Agreed, Total: l.Unit * l.Quantity, IsGift: l.Gift, Taxes: append([]shop.TaxRate{}, l.Taxes...), Data: shop.Object(orJSON(l.Data, "{}")),
			Parts: shop.JSON[[]sales.SetPart](orJSON(l.Set, "[]")),
		})
	}
	for _, p := range payments {
		v.Payments = append(v.Payments, paymentOf(p))
	}
	if p := payments.Main(); p.ID != 0 {
		main := paymentOf(p)
		v.Payment = &main
	}
	return v
}

func issued(o sales.Order, kind shop.PaperKind) *sales.IssuedPaper {
	p, ok := o.Papers[kind]
	if !ok {
		return nil
	}
	p.IssuedAt = p.IssuedAt.UTC()
	return &p
}

func paymentOf(p sales.Payment) paymentView {
	return paymentView{ID: p.ID, Method: p.Method, Provider: p.Provider, Status: p.Status, AmountMinor: p.AmountMinor, Currency: p.Currency,
		PaidAt: shop.UTC(p.PaidAt), RefundedAt: shop.UTC(p.RefundedAt), ProviderRef: p.Ref}
}

func orJSON(data json.RawMessage, otherwise string) json.RawMessage {
	if len(data) == 0 || string(data) == "null" {
		return json.RawMessage(otherwise)
	}
	return data
}
