package order

import (
	"context"
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
		Field string `json:"field" enum:"created_at,updated_at,items_total,number"`
		Order string `json:"order" enum:"asc,desc"`
	} `json:"sort"`
	Page struct {
		Number int `json:"number"`
		Limit  int `json:"limit"`
	} `json:"page"`
}

var sortFields = []string{"created_at", "updated_at", "items_total", "number"}

type listFilter struct {
	CompanyID   shop.CompanyID     `json:"company_id"`
	IDs         []shop.OrderID     `json:"ids" max:"1000"`
	Status      []shop.OrderStatus `json:"status" max:"10"`
	Paid        *bool              `json:"paid"`
	UserID      shop.UserID        `json:"user_id"`
	Query       string             `json:"query" len:"200" refuse:"INVALID_REQUEST"`
	CreatedFrom *time.Time         `json:"created_from"`
	CreatedTo   *time.Time         `json:"created_to"`
	UpdatedFrom *time.Time         `json:"updated_from"`
	UpdatedTo   *time.Time         `json:"updated_to"`
}

const defaultPage, maxPage = 20, 100

// knownStatuses refuses a filter with an unknown status.
func knownStatuses(list []shop.OrderStatus) error {
	for _, s := range list {
		if !slices.Contains(shop.OrderStatuses, s) {
			return ErrInvalidStatus.At("filter.status").With(string(s))
		}
	}
	return nil
}

// list returns the orders of a shop to its sellers; without a shop it returns the orders that the
// caller placed.
func (os *Orders) list(ctx context.Context, c *api.Call, in listRequest) (out api.Result[api.Page[orderView]], err error) {
	f := sales.OrderFilter{
		Company: in.Filter.CompanyID, Person: in.Filter.UserID, IDs: in.Filter.IDs, Statuses: in.Filter.Status, Paid: in.Filter.Paid,
		Query: in.Filter.Query, CreatedFrom: in.Filter.CreatedFrom, CreatedTo: in.Filter.CreatedTo,
		UpdatedFrom: in.Filter.UpdatedFrom, UpdatedTo: in.Filter.UpdatedTo,
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
		f.Person = c.Person
	}
	if err := knownStatuses(f.Statuses); err != nil {
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
	if field := in.Sort.Field; field != "" && !slices.Contains(sortFields, field) {
		return out, shop.ErrInvalidRequest.At("sort.field").With(strings.Join(sortFields, ", "))
	}
	if order := in.Sort.Order; order != "" && order != "asc" && order != "desc" {
		return out, shop.ErrInvalidRequest.At("sort.order").With("asc or desc")
	}
	sort := sales.OrderSort{Field: in.Sort.Field, Asc: in.Sort.Order == "asc"}
	orders, total, err := sales.Orders(ctx, os.Store, f, sort, limit, (number-1)*limit)
	if err != nil {
		return out, err
	}
	views, err := os.views(ctx, orders, func(sales.Order) side { return who })
	return api.NewPage(views, func(v orderView) orderView { return v }, total, number), err
}
