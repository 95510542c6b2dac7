package letter

import (
	"context"
	"errors"
	"fmt"

	"vitrine/admin/api"
	"vitrine/compile/feed"
	"vitrine/internal/load"
	"vitrine/internal/mail"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	letterdb "vitrine/internal/store/letter"
	"vitrine/internal/store/sales"
)

// leftCart returns the data of a reminder of a cart: its lines at present prices, as everybody sees
// the shop.
func (ls *Letters) leftCart(ctx context.Context, s *shopContext, l letterdb.ShopLetter) (cart, coupon feed.Record, err error) {
	r := ls.Store.Shop(s.info.ID)
	m, err := sales.GetReminder(ctx, r, l.Facts.Reminder, l.To)
	if err != nil {
		return nil, nil, err
	}
	left, err := sales.GetCart(ctx, r, m.Person)
	if err != nil {
		return nil, nil, err
	}
	site := s.site.AtTime(ls.Now()).ViewFor("")
	basket, err := load.FillBasket(ctx, r, left, load.Pricing{At: ls.Now(), Site: site, Buyer: m.Person, Offered: true})
	if err != nil {
		return nil, nil, err
	}
	if len(basket.Lines) == 0 {
		return nil, nil, sales.ErrReminderEnded
	}
	lines := make([]feed.Record, len(basket.Lines))
	for i := range basket.Lines {
		b := &basket.Lines[i]
		lines[i] = s.line(b.Name(), b.SKU(), b.Image(), b.Product, b.Quantity, b.Price.Unit, s.info.Currency, b.Price.Gift)
	}
	coupon = feed.Record{"Code": "", "Name": "", "Value": "", "Until": ""}
	if l.Facts.Code != "" {
		c, err := letterdb.Coupon(ctx, r, l.Facts.Code)
		if err != nil {
			return nil, nil, err
		}
		if coupon, err = s.coupon(c); err != nil {
			return nil, nil, err
		}
	}
	key := api.CartKey(ls.Sealer, s.info.ID, m.Cart, ls.Now().Add(api.CartLinkLife))
	return feed.Record{
		"Lines": lines, "Total": s.sum(basket.Subtotal, s.info.Currency), "URL": s.origin + "/cart?open=" + key,
		"Unsubscribe": s.refusal(ls, m.Recipient),
	}, coupon, nil
}

// refusal returns the address at which the owner of an address ends the reminders of the shop.
func (s *shopContext) refusal(ls *Letters, recipient []byte) string {
	return s.origin + shop.UnsubscribePrefix + api.RefusalKey(ls.Sealer, s.info.ID, recipient)
}

// unsubscribe returns the address for the header of a reminder, and for other letters none. The error
// is mail.ErrPermanent if the reminder is not wanted any more: it may have been rendered before.
func (ls *Letters) unsubscribe(ctx context.Context, s *shopContext, l letterdb.ShopLetter) (string, error) {
	if l.Name != store.CartLetter {
		return "", nil
	}
	m, err := sales.GetReminder(ctx, ls.Store.Shop(s.info.ID), l.Facts.Reminder, l.To)
	if errors.Is(err, sales.ErrReminderEnded) {
		err = fmt.Errorf("%w: the buyer has ordered or wants no reminders", mail.ErrPermanent)
	}
	return s.refusal(ls, m.Recipient), err
}

// line returns the data of a line of an order or a cart.
func (s *shopContext) line(name, sku, image string, product shop.ProductID, quantity, unit int64, currency string, gift bool) feed.Record {
	return feed.Record{
		"Name": name, "SKU": sku, "Quantity": quantity, "Price": s.sum(unit, currency), "Sum": s.sum(unit*quantity, currency),
		"IsGift": gift, "Picture": s.picture(image), "URL": s.product(product),
	}
}
