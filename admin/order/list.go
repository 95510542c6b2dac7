package order

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

type listRequest struct {
	Filter listFilter `json:"filter"`
	Sort   struct {
		Field sortField `json:"field"`
		Order api.Order `json:"order"`
	} `json:"sort"`
	Page struct {
		Number int `json:"number"`
		Limit  int `json:"limit"`
	} `json:"page"`
}

var sortFields = []string{"created_at", "updated_at", "items_total", "number"}

type sortField string

// Values lists the sort orders.
func (sortField) Values() []string { return sortFields }

type listFilter struct {
	CompanyID   shop.CompanyID                 `json:"company_id"`
	IDs         []shop.OrderID                 `json:"ids" max:"1000"`
	Status      []shop.OrderStatus             `json:"status" max:"10"`
	Paid        *bool                          `json:"paid"`
	UserID      shop.UserID                    `json:"user_id"`
	CustomerID  shop.CustomerID                `json:"customer_id" doc:"for the shop's members"`
	Payments    oneOrMore[string]              `json:"payment_status" max:"10" doc:"none, pending, failed, paid, refunding or refunded: one, or a list"`
	Shipments   oneOrMore[shop.ShipmentStatus] `json:"shipment_status" max:"10" doc:"none, partial, shipped or delivered: one, or a list"`
	Waits       sales.Waits                    `json:"waits_for" len:"64" refuse:"INVALID_STATUS" doc:"payment, shipment or refund: orders that GET /v1/shop/today counts"`
	Sources     oneOrMore[sales.OrderSource]   `json:"source" max:"10" doc:"storefront, manual or assistant: one, or a list"`
	Platform    shop.Int64                     `json:"platform" doc:"the id of an assistant of GET /v1/shop/assistants; for the shop's members"`
	Tags        []string                       `json:"tags" max:"64" len:"64" doc:"orders with any of these tags; for the shop's members"`
	Delivery    shop.DeliveryID                `json:"delivery_option_id"`
	Days        int                            `json:"days" doc:"orders of the last 1 to 3660 days, each of 24 hours"`
	Query       string                         `json:"query" len:"200" refuse:"INVALID_REQUEST" doc:"number, name, phone, e-mail, city, comment, or name or SKU of a product"`
	CreatedFrom *time.Time                     `json:"created_from"`
	CreatedTo   *time.Time                     `json:"created_to"`
	UpdatedFrom *time.Time                     `json:"updated_from"`
	UpdatedTo   *time.Time                     `json:"updated_to"`
}

const defaultPage, maxPage = 20, 100

// oneOrMore is a list of at most 10 texts in a filter, which may be sent as its only entry.
type oneOrMore[T ~string] []T

// UnmarshalJSON decodes one text, or a list of texts.
func (l *oneOrMore[T]) UnmarshalJSON(data []byte) error {
	var one *T
	if json.Unmarshal(data, &one) == nil {
		if *l = nil; one != nil {
			*l = oneOrMore[T]{*one}
		}
		return nil
	}
	const most = 10
	if err := json.Unmarshal(data, (*[]T)(l)); err != nil || len(*l) > most {
		return cmp.Or(err, error(shop.ErrInvalidRequest.With("at most 10")))
	}
	return nil
}

const maxDays = 3660

// checkFilter refuses a filter with an unknown status or a number of days that is out of bounds,
// and replaces the days by the time at which they begin.
func checkFilter(f *sales.OrderFilter, days int, now time.Time) error {
	for _, s := range f.Statuses {
		if !slices.Contains(shop.OrderStatuses, s) {
			return ErrInvalidStatus.At("filter.status").With(string(s))
		}
	}
	for _, s := range f.Payments {
		if !slices.Contains(sales.PaymentStatuses, s) {
			return ErrInvalidStatus.At("filter.payment_status").With(s)
		}
	}
	for _, s := range f.Shipments {
		if !slices.Contains(shop.ShipmentStatuses, s) {
			return ErrInvalidStatus.At("filter.shipment_status").With(string(s))
		}
	}
	for _, s := range f.Sources {
		if !slices.Contains(s.Values(), string(s)) {
			return ErrInvalidStatus.At("filter.source").With(string(s))
		}
	}
	if f.Waits != "" && f.Waits.Condition() == "" {
		return ErrInvalidStatus.At("filter.waits_for").With(strings.Join(f.Waits.Values(), ", "))
	}
	if days < 0 || days > maxDays {
		return shop.ErrInvalidRequest.At("filter.days").With("1 to 3660")
	}
	if from := now.AddDate(0, 0, -days); days > 0 && (f.CreatedFrom == nil || f.CreatedFrom.Before(from)) {
		f.CreatedFrom = &from
	}
	return nil
}

// list returns the orders of a shop to its sellers; without a shop it returns the orders that the
// caller placed.
func (os *Orders) list(ctx context.Context, c *api.Call, in listRequest) (out api.Result[api.Page[orderView]], err error) {
	f := sales.OrderFilter{
		Company: in.Filter.CompanyID, Person: in.Filter.UserID, Customer: in.Filter.CustomerID, IDs: in.Filter.IDs, Statuses: in.Filter.Status, Paid: in.Filter.Paid,
		Query: in.Filter.Query, CreatedFrom: in.Filter.CreatedFrom, CreatedTo: in.Filter.CreatedTo,
		UpdatedFrom: in.Filter.UpdatedFrom, UpdatedTo: in.Filter.UpdatedTo, Payments: in.Filter.Payments, Shipments: in.Filter.Shipments,
		Waits: in.Filter.Waits, Sources: in.Filter.Sources, Platform: int64(in.Filter.Platform), Tags: in.Filter.Tags, Delivery: in.Filter.Delivery,
	}
	who := buyer
	switch {
	case c.ByKey() || f.Company != 0 && f.Company == c.Company && c.Role.Known() && !c.Buyer:
		if f.Company != 0 && f.Company != c.Company || !c.Has(readsOrders) {
			return out, sales.ErrOrderDenied
		}
		f.Company, who = c.Company, seller
	case f.Company != 0 && c.Storefront == 0:
		return out, sales.ErrOrderDenied
	default:
		if f.Company, err = c.BuyerShop(f.Company); err != nil {
			return out, err
		}
		if f.Person = c.Person; f.Customer != 0 || f.Platform != 0 || len(f.Tags) > 0 { // they are for the shop's members only
			return out, sales.ErrOrderDenied
		}
	}
	if err := checkFilter(&f, in.Filter.Days, os.Now()); err != nil {
		return out, err
	}
	number, limit := in.Page.Number, in.Page.Limit
	switch {
	case number < 0 || number > 1_000_000:
		return out, shop.ErrInvalidRequest.At("page.number").With("1 to 1000000")
	case limit < 0 || limit > maxPage:
		return out, shop.ErrInvalidRequest.At("page.limit").With("1 to 100")
	case limit == 0:
		limit = defaultPage
	}
	number = max(number, 1)
	if field := in.Sort.Field; field != "" && !slices.Contains(sortFields, string(field)) {
		return out, shop.ErrInvalidRequest.At("sort.field").With(strings.Join(sortFields, ", "))
	}
	if !in.Sort.Order.Known() {
		return out, shop.ErrInvalidRequest.At("sort.order").With("asc or desc")
	}
	sort := sales.OrderSort{Field: string(in.Sort.Field), Asc: in.Sort.Order == api.Ascending}
	orders, total, err := sales.Orders(ctx, os.Store, f, sort, limit, (number-1)*limit)
	if err != nil {
		return out, err
	}
	views, err := os.views(ctx, orders, func(sales.Order) side { return who })
	return api.NewPage(views, func(v orderView) orderView { return v }, total, number), err
}
