package cart

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

const (
	leftPageSize = 20
	leftLines    = 1000 // of carts that are priced together: the next one is begun with fewer
)

// leftView is a cart as its shop sees it.
type leftView struct {
	ID        shop.Int64    `json:"id"`
	Contact   leftContact   `json:"contact"`
	Items     []leftLine    `json:"items"`
	Subtotal  int64         `json:"subtotal" doc:"at present prices"`
	UpdatedAt time.Time     `json:"updated_at"`
	Reminded  *time.Time    `json:"reminded_at"`
	Order     *shop.OrderID `json:"recovered_order_id" doc:"the order that answered the reminder"`
}

type leftContact struct {
	Email  string `json:"email" doc:"masked, such as j***@example.com, unless its owner agreed to reminders; empty: none is known"`
	Agreed bool   `json:"agreed"`
}

type leftLine struct {
	Product  shop.ProductID `json:"product_id"`
	Variant  shop.VariantID `json:"variant_id"`
	Name     string         `json:"name"`
	SKU      string         `json:"sku"`
	Quantity int64          `json:"quantity"`
	Price    int64          `json:"price"`
	Total    int64          `json:"total"`
}

type leftRequest struct{ api.Paging }

// left returns the carts of the shop. Each is priced as its buyer sees it.
func (cs *Carts) left(ctx context.Context, c *api.Call, in leftRequest) (out api.Result[api.Page[leftView]], err error) {
	number, limit, err := in.Page(leftPageSize)
	if err != nil {
		return out, err
	}
	r, cached, err := c.Shop(ctx, c.Company)
	if err != nil {
		return out, err
	}
	rows, total, err := sales.LeftCarts(ctx, r, limit, (number-1)*limit)
	if err != nil {
		return out, err
	}
	release, err := cs.Pricer.Acquire(ctx, c.Company)
	if err != nil {
		return out, err
	}
	defer release()
	var views []leftView
	for len(rows) > 0 {
		var carts []load.Unpriced
		for lines := 0; len(carts) < len(rows) && lines < leftLines; lines += len(carts[len(carts)-1].Lines) {
			row := &rows[len(carts)]
			carts = append(carts, load.Unpriced{Cart: row.Cart, Pricing: load.Pricing{At: cs.Now(), Site: cached.Site, Buyer: row.Person}})
		}
		baskets, err := load.FillBaskets(ctx, r, carts)
		if err != nil {
			return out, err
		}
		for i, basket := range baskets {
			views = append(views, viewLeft(rows[i], basket))
		}
		rows = rows[len(carts):]
	}
	return api.NewPage(views, func(v leftView) leftView { return v }, total, number), nil
}

func viewLeft(row sales.LeftCartRow, b *load.Basket) leftView {
	v := leftView{
		ID: shop.Int64(row.ID), Contact: leftContact{row.Email, row.Agreed}, Items: []leftLine{}, Subtotal: b.Subtotal,
		UpdatedAt: row.UpdatedAt.UTC(), Reminded: shop.UTC(row.Reminded), Order: row.Order,
	}
	if !row.Agreed {
		v.Contact.Email = masked(row.Email)
	}
	for i := range b.Lines {
		l := &b.Lines[i]
		v.Items = append(v.Items, leftLine{
			Product: l.Product, Variant: l.Price.Chosen(), Name: l.Name(), SKU: l.SKU(), Quantity: l.Quantity, Price: l.Price.Unit, Total: l.Price.Total(),
		})
	}
	return v
}

// masked returns an address of which only the first character and the host are readable.
func masked(email string) string {
	at := strings.LastIndexByte(email, '@')
	if at <= 0 {
		return ""
	}
	_, size := utf8.DecodeRuneInString(email)
	return email[:size] + "***" + email[at:]
}
