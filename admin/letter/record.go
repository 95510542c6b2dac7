package letter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/compile/feed"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	companydb "vitrine/internal/store/company"
	letterdb "vitrine/internal/store/letter"
	"vitrine/internal/store/media"
	"vitrine/internal/store/remark"
	"vitrine/internal/store/sales"
	"vitrine/render"
)

// shopContext is the data of a shop that all its letters are rendered with.
type shopContext struct {
	info     companydb.Company
	settings companydb.Settings
	lang     string
	origin   string // of the storefront
	logo     string // URL, or empty
	site     *compile.Site
}

// shopContextOf reads that data, or returns the cached data of the same version of the shop.
func (ls *Letters) shopContextOf(ctx context.Context, company shop.CompanyID) (s shopContext, err error) {
	r := ls.Store.Shop(company)
	cached, err := ls.Sites.Current(ctx, r)
	if err != nil {
		return s, err
	}
	ls.mu.Lock()
	kept, there := ls.contexts.Get(company)
	ls.mu.Unlock()
	if there && kept.info.Version == cached.Company.Version {
		kept.site = cached.Site
		return kept, nil
	}
	s.info = cached.Company
	defer func() {
		if err == nil {
			ls.mu.Lock()
			ls.contexts.Put(company, s, 1)
			ls.mu.Unlock()
		}
		s.site = cached.Site
	}()
	if s.settings, err = companydb.GetSettings(ctx, r); err != nil {
		return s, err
	}
	s.lang, s.origin = shop.Language(s.settings.Language, s.settings.Currency), ls.URLs.Storefront(s.info)
	if s.settings.LogoID != nil {
		switch f, err := media.GetFile(ctx, r, *s.settings.LogoID); {
		case err == nil:
			s.logo = s.picture(shop.FilesPrefix + f.Path)
		case !errors.Is(err, media.ErrFileNotFound):
			return s, err
		}
	}
	return s, nil
}

// picture returns the URL of a thumbnail of a picture of the shop, and "" for other pictures.
func (s *shopContext) picture(address string) string {
	if path := render.ThumbPath(address); path != "" {
		return s.origin + path
	}
	return ""
}

func (s *shopContext) sum(amount int64, currency string) string {
	return render.SumText(amount, currency, s.info.PriceDigits, s.lang)
}

// tax lists the taxes of an order.
func (s *shopContext) tax(o sales.Order) string {
	return render.TaxText(o.Taxes, o.TaxAdded(), o.Currency, s.info.PriceDigits, s.lang)
}

// day formats the date of a moment in the shop's time zone.
func (s *shopContext) day(at time.Time) string {
	return render.DateText(at.In(shop.Clock(s.info.Timezone)), s.lang)
}

// product returns the URL of a product, or "" if it has none.
func (s *shopContext) product(id shop.ProductID) string {
	if path := s.site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(id)}); path != "" {
		return s.origin + path
	}
	return ""
}

// about returns the data that the template of a letter can use.
func (ls *Letters) about(ctx context.Context, s *shopContext, l letterdb.ShopLetter) (feed.Record, error) {
	r := ls.Store.Shop(s.info.ID)
	all := s.base()
	switch kind := strings.TrimSuffix(strings.TrimSuffix(l.Name, store.ToBuyer), store.ToSeller); kind {
	case "order_made", "order_payment", "order_paid", "order_status", "order_shipped", "message", "paid_again", "refund_refused":
		if l.Order == nil {
			return nil, sales.ErrOrderNotFound
		}
		o, err := sales.GetOrder(ctx, r, *l.Order)
		if err != nil {
			return nil, err
		}
		methods, err := sales.PaymentMethods(ctx, r)
		if err != nil {
			return nil, err
		}
		order := s.order(o, l.Facts, methods)
		if strings.HasSuffix(l.Name, store.ToBuyer) { // a guest has no other access to the order
			order["URL"] = fmt.Sprint(order["URL"], "?key=", api.OrderKey(ls.Sealer, s.info.ID, o.ID))
		}
		all["Order"], all["Buyer"] = order, buyer(o.Contact)
		if l.Facts.Payment != 0 {
			p, err := sales.GetPayment(ctx, r, l.Facts.Payment)
			if err != nil {
				return nil, err
			}
			all["Payment"] = feed.Record{"Method": titleOf(methods, p.Method), "Sum": render.SumText(p.AmountMinor, p.Currency, shop.Exponent(p.Currency), s.lang), "Why": l.Facts.Why}
		}
		if l.Facts.Shipment != 0 {
			sent, err := sales.GetShipment(ctx, r, o.ID, l.Facts.Shipment)
			if err != nil {
				return nil, err
			}
			all["Shipment"] = s.shipment(o, sent)
		}
		if kind != "message" {
			break
		}
		m, err := letterdb.OrderMessage(ctx, r, l.Facts.Message)
		if err != nil {
			return nil, err
		}
		all["Message"] = feed.Record{"Text": m.Text}
	case "personal_coupon":
		c, err := letterdb.Coupon(ctx, r, l.Facts.Code)
		if err != nil {
			return nil, err
		}
		all["Coupon"], err = s.coupon(c)
		return all, err
	case "cart_left":
		cart, coupon, err := ls.leftCart(ctx, s, l)
		all["Cart"], all["Coupon"] = cart, coupon
		return all, err
	case "lead":
		lead, err := letterdb.LeadForLetter(ctx, r, l.Facts.Lead)
		if err != nil {
			return nil, err
		}
		all["Lead"], err = s.lead(lead)
		return all, err
	case "leads":
		n, err := letterdb.CountLeadsOfLetter(ctx, r, l.ID, l.Facts.Lead)
		if err != nil {
			return nil, err
		}
		all["Leads"] = feed.Record{"Count": n}
	case "review", "question":
		one, err := remark.Get(ctx, r, remark.Kind(kind), l.Facts.Remark)
		if err != nil {
			return nil, err
		}
		p, err := catalog.GetProduct(ctx, r, one.Product)
		if err != nil {
			return nil, err
		}
		all["Remark"], all["Product"] = s.remark(one), feed.Record{"Name": p.Name, "URL": s.product(p.ID)}
	case "low_stock":
		p, err := catalog.GetProduct(ctx, r, l.Facts.Product)
		if err != nil {
			return nil, err
		}
		name, err := nameOf(ctx, r, p, l.Facts.Variant)
		if err != nil {
			return nil, err
		}
		all["Product"] = feed.Record{"Name": name, "URL": s.product(p.ID), "Left": l.Facts.Left}
	}
	return all, nil
}

// nameOf returns the name of a product, with that of the variant if one is given.
func nameOf(ctx context.Context, r store.Reader, p catalog.Product, variant shop.VariantID) (string, error) {
	if variant == 0 {
		return p.Name, nil
	}
	sets, err := catalog.Variants(ctx, r, p.ID)
	for _, v := range sets {
		if v.ID == variant && v.DisplayTitle() != "" {
			return p.Name + ", " + v.DisplayTitle(), err
		}
	}
	return p.Name, err
}

// base returns the data that all templates can use.
func (s *shopContext) base() feed.Record {
	c := s.settings.Contacts
	return feed.Record{"Shop": feed.Record{
		"Name": s.info.Name, "URL": s.origin, "Currency": s.info.Currency, "Logo": s.logo,
		"Phone": c.Phone, "Email": c.Email, "Address": c.Address, "Hours": c.Hours,
	}}
}

// titleOf returns a shop's title for a payment method.
func titleOf(methods []sales.PaymentMethod, method string) string {
	for _, m := range methods {
		if m.Method == method {
			return m.Title
		}
	}
	return method
}

func buyer(c sales.Contact) feed.Record {
	return feed.Record{"Name": c.Name, "Phone": c.Phone, "Email": c.Email}
}

func (s *shopContext) order(o sales.Order, facts store.LetterData, methods []sales.PaymentMethod) feed.Record {
	status := o.Status
	if facts.Status != "" {
		status = facts.Status
	}
	delivery, deliveryPrice, discount := "", "", ""
	if o.Delivery != nil {
		if delivery = o.Delivery.Name; o.Delivery.Price > 0 {
			deliveryPrice = s.sum(o.Delivery.Price, o.Currency)
		}
	}
	payment := titleOf(methods, o.PaymentMethod)
	instructions := "" // for manual payments
	if at := slices.IndexFunc(methods, func(m sales.PaymentMethod) bool { return m.Method == o.PaymentMethod }); at >= 0 {
		instructions = methods[at].Instructions
	}
	lines, goods := make([]feed.Record, len(o.Lines)), int64(0)
	for i, l := range o.Lines {
		goods += l.Unit * l.Quantity
		lines[i] = s.line(l.Name, l.SKU, l.Image, l.Product, l.Quantity, l.Unit, o.Currency, l.Gift)
	}
	if goods > o.ItemsTotal { // the discount on the whole order; others are included in the prices
		discount = s.sum(goods-o.ItemsTotal, o.Currency)
	}
	address := render.AddressLines(o.Address, s.lang)
	return feed.Record{
		"Number": o.Number, "URL": s.origin + "/orders/" + o.ID.String(), "Date": s.day(o.CreatedAt),
		"Status": string(status), "StatusName": render.StatusText(string(status), s.lang), "StatusBefore": render.StatusText(string(facts.From), s.lang),
		"IsCancelled": o.Status == shop.OrderCancelled, "Lines": lines, "Goods": s.sum(o.ItemsTotal, o.Currency), "Discount": discount,
		"Delivery": delivery, "DeliveryPrice": deliveryPrice, "Total": s.sum(o.GrandTotal, o.Currency), "Tax": s.tax(o), "TaxAdded": o.TaxAdded(), "Payment": payment, "Instructions": instructions,
		"Address": strings.Join(address, "\n"), "AddressLines": address, "Comment": o.Comment,
	}
}

func (s *shopContext) shipment(o sales.Order, sent sales.Shipment) feed.Record {
	lines := []feed.Record{}
	for _, part := range sent.Lines {
		for _, l := range o.Lines {
			if l.ID == part.Line {
				lines = append(lines, feed.Record{"Name": l.Name, "SKU": l.SKU, "Quantity": part.Quantity})
			}
		}
	}
	return feed.Record{
		"Carrier": shop.CarrierOf(sent.Carrier).Name, "Number": sent.Number, "URL": sent.Tracking(), "Date": s.day(sent.ShippedAt), "Lines": lines,
	}
}

func (s *shopContext) coupon(c letterdb.CouponLetter) (feed.Record, error) {
	var v sales.PromotionValue
	if err := json.Unmarshal(c.Value, &v); err != nil {
		return nil, err
	}
	value, until := "", ""
	switch {
	case v.Points > 0:
		value = "−" + render.PercentText(v.Points, s.lang)
	case v.Amount > 0:
		value = "−" + s.sum(v.Amount, s.info.Currency)
	}
	if c.ExpiresAt != nil {
		until = s.day(*c.ExpiresAt)
	}
	return feed.Record{"Code": c.Code, "Name": c.Name, "Value": value, "Until": until}, nil
}

func (s *shopContext) lead(l letterdb.LeadLetter) (feed.Record, error) {
	var fields []struct {
		Name  string `json:"name"`
		Label string `json:"label"`
	}
	var values map[string]string
	if err := errors.Join(json.Unmarshal(l.Fields, &fields), json.Unmarshal(l.Answers, &values)); err != nil {
		return nil, err
	}
	said := []feed.Record{}
	for _, f := range fields {
		if values[f.Name] != "" {
			label := f.Label
			if label == "" {
				label = f.Name
			}
			said = append(said, feed.Record{"Label": label, "Value": values[f.Name]})
		}
	}
	page := l.PageURL
	if strings.HasPrefix(page, "/") {
		page = s.origin + page
	}
	return feed.Record{"Form": l.Name, "Fields": said, "Page": page, "Date": s.day(l.CreatedAt)}, nil
}

func (s *shopContext) remark(r remark.Remark) feed.Record {
	rating := int64(0)
	if r.Rating != nil {
		rating = int64(*r.Rating)
	}
	return feed.Record{
		"Author": r.Author, "Rating": rating, "Text": r.Text, "Pros": r.Pros, "Cons": r.Cons, "Photos": int64(len(r.Files)), "Answer": r.Answer,
		"Date": s.day(r.CreatedAt),
	}
}

// sampleTaxes returns the taxes that a sum contains by the first rate of the shop.
func sampleTaxes(t *shop.Taxes, sum int64) []shop.Tax {
	var rate shop.TaxRate
	switch {
	case t == nil:
		return nil
	case t.TaxRate != nil:
		rate = *t.TaxRate
	case len(t.Rates) > 0:
		rate = t.Rates[0].TaxRate
	}
	amount := rate.Percent.In(sum)
	return []shop.Tax{{TaxRate: rate, Base: sum - amount, Amount: amount}}
}

func (s *shopContext) samplePayment(why string) feed.Record {
	return feed.Record{"Method": "By card", "Sum": render.SumText(2700, s.info.Currency, shop.Exponent(s.info.Currency), s.lang), "Why": why}
}

// sample returns invented data for a letter, with which a template is checked before its first
// event.
func (s *shopContext) sample(name string) feed.Record {
	all := s.base()
	o := sales.Order{
		ID: 1, Number: 1001, Status: shop.OrderProcessing, ItemsTotal: 21, DiscountTotal: 3, GrandTotal: 27, Currency: s.info.Currency,
		Delivery: &sales.OrderDelivery{Name: "Courier", Price: 6}, Contact: sales.Contact{Name: "Ann Baker", Phone: "+1 202 555 0100", Email: "ann@example.com"},
		Address: json.RawMessage(`{"street":"12 Mill Lane","city":"Oldtown"}`), Comment: "Please ring twice.", PaymentMethod: "manual",
		CreatedAt: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC), Taxes: sampleTaxes(s.settings.Tax, 27),
		Lines: []sales.OrderLine{{ID: 1, Name: "Earl Grey", SKU: "TEA-1", Quantity: 2, Unit: 12}, {ID: 2, Name: "Scoop", Quantity: 1, Gift: true}},
	}
	switch {
	case strings.HasPrefix(name, "order_"), strings.HasPrefix(name, "message_"):
		all["Order"], all["Buyer"] = s.order(o, store.LetterData{From: shop.OrderNew, Status: shop.OrderProcessing}, nil), buyer(o.Contact)
		if strings.HasPrefix(name, "message_") {
			all["Message"] = feed.Record{"Text": "Is it in stock?"}
		}
		if strings.HasPrefix(name, "order_paid_") {
			all["Payment"] = s.samplePayment("")
		}
		if strings.HasPrefix(name, "order_shipped_") {
			all["Shipment"] = s.shipment(o, sales.Shipment{
				Carrier: "dhl", Number: "JD014600003828", ShippedAt: o.CreatedAt, Lines: []sales.ShippedLine{{Line: 1, Quantity: 2}, {Line: 2, Quantity: 1}},
			})
		}
	case name == "paid_again_seller", name == "refund_refused_seller":
		all["Order"], all["Buyer"] = s.order(o, store.LetterData{}, nil), buyer(o.Contact)
		all["Payment"] = s.samplePayment("the charge is disputed")
	case strings.HasPrefix(name, "personal_coupon"):
		all["Coupon"] = feed.Record{"Code": "THANKS-7KQ2", "Name": "Thanks", "Value": "−10%", "Until": s.day(o.CreatedAt)}
	case name == store.CartLetter:
		all["Cart"] = feed.Record{
			"Lines": s.order(o, store.LetterData{}, nil)["Lines"], "Total": s.sum(o.ItemsTotal, s.info.Currency), "URL": s.origin + "/cart?open=1",
			"Unsubscribe": s.origin + shop.UnsubscribePrefix + "1",
		}
		all["Coupon"] = feed.Record{"Code": "BACK-7KQ2", "Name": "Come back", "Value": "−10%", "Until": s.day(o.CreatedAt)}
	case name == store.LeadsLetter:
		all["Leads"] = feed.Record{"Count": int64(40)}
	case strings.HasPrefix(name, "lead"):
		all["Lead"] = feed.Record{
			"Form": "Call me back", "Fields": []feed.Record{{"Label": "Phone", "Value": "+1 202 555 0100"}}, "Page": s.origin + "/contact",
			"Date": s.day(o.CreatedAt),
		}
	case strings.HasPrefix(name, "review"), strings.HasPrefix(name, "question"):
		rating := 5
		all["Remark"] = s.remark(remark.Remark{
			Author: "Ann B.", Rating: &rating, Text: "Bright and clear, and it arrived quickly.", Pros: "The tin", Answer: "Thank you!", CreatedAt: o.CreatedAt,
		})
		all["Product"] = feed.Record{"Name": "Earl Grey", "URL": s.origin + "/earl-grey"}
	case strings.HasPrefix(name, "low_stock"):
		all["Product"] = feed.Record{"Name": "Earl Grey", "URL": s.origin + "/earl-grey", "Left": int64(2)}
	}
	return all
}
