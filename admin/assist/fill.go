package assist

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"vitrine/compile"
	"vitrine/compile/lead"
	"vitrine/compile/price"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/assist"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
)

// view is a shop as the buyer of a session sees it.
type view struct {
	reader store.Reader
	load.CachedShop
}

// see returns the shop as the face has read it for this call; later in the call it is read again.
func (a *Assist) see(ctx context.Context, c *Caller) (view, error) {
	if seen := c.Seen; seen != nil {
		c.Seen = nil
		return view{a.Store.Shop(c.Shop).Hiding(seen.Site.Hidden()), *seen}, nil
	}
	r, cached, err := c.Call.Shop(ctx, c.Shop)
	return view{r, cached}, err
}

// fill prices a session with an input.
func (a *Assist) fill(ctx context.Context, v view, s assist.Session, in Input) (*State, error) {
	st := &State{Session: s, Input: in, Gone: expired(s, a.Now())}
	lines, dropped, adjusted := in.goods()
	if s.State == assist.HandedOff { // the browser has changed the cart since
		cart, err := sales.GetCart(ctx, v.reader, s.Person)
		if err != nil {
			return nil, err
		}
		lines, dropped, st.Input.Codes = cart.Lines, nil, nil
		if cart.PromoCode != "" {
			st.Input.Codes = []string{cart.PromoCode}
		}
	}
	basket, err := a.price(ctx, v, st, lines)
	if err != nil {
		return nil, err
	}
	if named := slices.DeleteFunc(slices.Clone(lines), func(l sales.CartLine) bool { return !sold(basket, l) }); len(named) < len(lines) && s.State != assist.HandedOff {
		st.Codes = nil
		if basket, err = a.price(ctx, v, st, named); err != nil {
			return nil, err
		}
	}
	ways, err := a.Pricer.Ways(ctx, v.CachedShop)
	if err != nil {
		return nil, err
	}
	st.deliver(basket, ways)
	st.describe(basket, v)
	st.Methods = ways.Methods
	for _, id := range dropped {
		st.refuse(Problem{Code: ItemUnavailable, Field: "items", Line: -1, Text: "There is no product with the id " + strconv.Quote(id) + "."})
	}
	for _, l := range lines {
		if !slices.ContainsFunc(st.Lines, func(shown Line) bool { return shown.ID == lineID(l.Product, l.Key) }) {
			st.refuse(Problem{Code: ItemUnavailable, Field: "items", Line: -1, Text: "The product " + itemOf(l) + " cannot be bought at present."})
		}
	}
	if adjusted {
		st.Notices = append(st.Notices, Problem{Code: QuantityAdjusted, Field: "items", Line: -1, Text: "A line has at most 9999 units."})
	}
	if s.Kind == assist.Checkout {
		st.checkStock(basket)
		st.checkBuyer()
		st.checkDelivery(ways)
	}
	if !st.Ended() && s.Kind == assist.Checkout {
		st.ContinueURL = a.link(v, s.ID)
	}
	return st, nil
}

// sold reports whether a line names something that can be bought: a product without variants, or one of
// its variants.
func sold(b *load.Basket, l sales.CartLine) bool {
	for i := range b.Lines {
		has := &b.Lines[i]
		if has.Product != l.Product || has.Key != l.Key {
			continue
		}
		named := price.KeyVariant(l.Key)
		if named == 0 {
			return !slices.ContainsFunc(has.Good.Variants, func(v catalog.Variant) bool { return v.IsActive })
		}
		chosen := has.Good.Variant(named)
		return chosen != nil && chosen.IsActive && has.Price.Chosen() == named
	}
	return false
}

// price prices the lines with the first code that works.
func (a *Assist) price(ctx context.Context, v view, st *State, lines []sales.CartLine) (*load.Basket, error) {
	how := load.Pricing{
		Buyer: cmp.Or(st.Buyer, st.Person), Contact: st.contact(), To: st.destination(), Delivery: st.Option, Offered: true,
	}
	if st.Session.Kind == assist.Cart { // like the shop's page of a cart, it shows what the goods cost
		how.Delivery = noDelivery
	}
	var codes []string // each once
	for _, sent := range st.Input.Codes {
		if code := price.CleanCode(sent); code != "" && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	carts := []sales.Cart{{Lines: lines}}
	for i, code := range codes {
		if cart := (sales.Cart{Lines: lines, PromoCode: code}); i == 0 {
			carts[0] = cart
		} else {
			carts = append(carts, cart)
		}
	}
	baskets, err := a.Pricer.FillAll(ctx, v.reader, v.CachedShop, carts, how)
	if err != nil {
		return nil, err
	}
	won := max(slices.IndexFunc(baskets, func(b *load.Basket) bool { return b.Rejected == "" }), 0)
	told := map[string]bool{}
	for _, sent := range st.Input.Codes {
		code := price.CleanCode(sent)
		at := slices.Index(codes, code)
		result := CodeResult{Code: sent, Refused: price.NotFound}
		switch {
		case at < 0: // empty
		case told[code]:
			result.Refused = Repeated
		case at > won && baskets[won].Rejected == "":
			result.Refused = Combination
		default:
			result.Refused = baskets[at].Rejected
		}
		told[code] = true
		st.Codes = append(st.Codes, result)
	}
	return baskets[won], nil
}

// code returns the code of the cart: the one that is applied, else none.
func (s *State) code() string {
	for _, c := range s.Codes {
		if c.Refused == "" {
			return price.CleanCode(c.Code)
		}
	}
	return ""
}

// deliver chooses the delivery: the option that the platform named, else the first possible one of
// the kind that it wants.
func (s *State) deliver(b *load.Basket, ways load.Ways) {
	if s.Session.Kind == assist.Checkout && s.Option == 0 && s.Way != "" && len(b.Deliveries) > 0 {
		at := slices.IndexFunc(b.Deliveries, func(d price.Possible) bool { return d.Kind == s.Way })
		id := noDelivery
		if at >= 0 {
			id = b.Deliveries[at].ID
		}
		b.Receipt = b.With(id)
	}
	for _, p := range b.Deliveries {
		d := Delivery{Possible: p, Total: b.With(p.ID).Grand}
		if o := ways.Option(p.ID); o != nil {
			d.Description, d.NeedsAddress, d.Points = o.Description, o.NeedsAddress, o.Points
		}
		if s.Deliveries = append(s.Deliveries, d); b.Delivery != nil && b.Delivery.ID == p.ID {
			s.Delivery = &d
		}
	}
}

// noDelivery is the id of no option.
const noDelivery shop.DeliveryID = -1

// describe copies a priced cart.
func (s *State) describe(b *load.Basket, v view) {
	face := v.Site.Shop().Face
	s.Currency, s.Digits = v.Company.Currency, v.Company.PriceDigits
	s.Subtotal, s.Goods, s.Total, s.Taxes = b.Before, b.Subtotal, b.Grand, b.Taxes
	s.Included = face.Taxes != nil && face.Taxes.Included
	for i := range b.Lines {
		l := &b.Lines[i]
		line := Line{
			ID: lineID(l.Product, l.Price.Key), ItemID: ItemID(l.Product, l.Price.Chosen()), Product: l.Product, Title: l.Name(), Image: l.Image(), Quantity: l.Quantity,
			Path: v.Site.URL(compile.PageRef{Entity: compile.EntityProduct, ID: int64(l.Product)}), Gift: l.Price.Gift,
		}
		if !line.Gift {
			line.Base = cmp.Or(l.Price.Base, l.Price.Unit)
			line.Before, line.After = line.Base*l.Quantity, l.Price.Total()
		}
		s.Lines = append(s.Lines, line)
	}
	s.Applied = discounts(b, s.Lines)
}

// discounts lists what the promotions take off. Those of single lines are shared out as the steps of
// pricing did it.
func discounts(b *load.Basket, lines []Line) (list []Discount) {
	perLine := func(kind string) bool {
		return kind == string(price.KindDiscount) || kind == string(price.KindQuantity)
	}
	if !slices.ContainsFunc(b.Applied, func(a price.Applied) bool { return perLine(a.Kind) }) {
		for _, a := range b.Applied {
			list = append(list, Discount{Title: a.Name, Code: a.Code, Amount: a.Amount})
		}
		return list
	}
	byName := map[string]int{}
	for _, note := range b.Explained().Explain {
		if note.Step != "quantity" && note.Step != "discount" || note.After >= note.Before {
			continue
		}
		at := slices.IndexFunc(lines, func(l Line) bool { return l.ID == lineID(note.Product, note.Key) })
		if at < 0 {
			continue
		}
		name := note.Step + " " + note.Rule
		d, known := byName[name]
		if !known {
			d, list = len(list), append(list, Discount{Title: note.Rule})
			byName[name] = d
		}
		amount := (note.Before - note.After) * lines[at].Quantity
		list[d].Amount += amount
		list[d].Shares = append(list[d].Shares, Share{at, amount})
	}
	for _, a := range b.Applied {
		if !perLine(a.Kind) {
			list = append(list, Discount{Title: a.Name, Code: a.Code, Amount: a.Amount})
		}
	}
	return list
}

func lineID(product shop.ProductID, key string) string { return product.String() + ":" + key }

func itemOf(l sales.CartLine) string { return ItemID(l.Product, price.KeyVariant(l.Key)) }

// refuse adds a problem that the platform can solve.
func (s *State) refuse(p Problem) {
	p.Severity = cmp.Or(p.Severity, Recoverable)
	s.Problems = append(s.Problems, p)
}

func (s *State) checkStock(b *load.Basket) {
	if len(s.Lines) == 0 && len(s.Problems) == 0 {
		s.refuse(Problem{Code: NoItems, Field: "items", Line: -1, Text: "There is nothing to buy."})
	}
	if b.TooLarge() {
		s.refuse(Problem{Code: "ORDER_TOO_LARGE", Field: "items", Line: -1, Text: "The sum of the goods is too large for one order."})
	}
	for i := range b.Lines {
		l := &b.Lines[i]
		left := b.Available(l)
		if l.Price.Gift || left == nil || int64(*left) >= l.Quantity {
			continue
		}
		text := "Only " + strconv.Itoa(*left) + " are left."
		if *left <= 0 {
			text = "It is out of stock."
		}
		s.refuse(Problem{Code: "out_of_stock", Field: "items", Line: i, Text: s.Lines[i].Title + ": " + text})
	}
}

// checkBuyer requires what an order needs of its buyer.
func (s *State) checkBuyer() {
	c := s.contact()
	for _, field := range []struct{ name, value string }{{"name", c.Name}, {"phone", c.Phone}, {"email", c.Email}} {
		switch {
		case field.value == "":
			s.refuse(Problem{Code: "CONTACT_REQUIRED", Field: field.name, Line: -1, Text: "The buyer's " + field.name + " is missing."})
		case field.name == "email" && !lead.IsEmail(field.value):
			s.refuse(Problem{Code: "CONTACT_INVALID", Field: field.name, Line: -1, Text: "The e-mail address is not valid."})
		case field.name == "phone" && !lead.IsPhone(field.value):
			s.refuse(Problem{Code: "CONTACT_INVALID", Field: field.name, Line: -1, Text: "The phone number is not valid."})
		}
	}
}

func (s *State) checkDelivery(ways load.Ways) {
	if len(s.Lines) == 0 {
		return
	}
	switch {
	case s.Delivery == nil && s.Option != 0 && ways.Option(s.Option) == nil:
		s.refuse(Problem{Code: "DELIVERY_NOT_FOUND", Field: "delivery", Line: -1, Text: "The shop has no such delivery option."})
	case s.Delivery == nil && len(ways.Options) > 0:
		s.refuse(Problem{Code: "DELIVERY_NOT_POSSIBLE", Field: "address", Line: -1, Text: "The shop does not deliver these goods to this address in this way."})
	case s.Delivery == nil:
	case s.Delivery.NeedsAddress && !shop.HasAddress(s.address()):
		s.refuse(Problem{Code: "ADDRESS_REQUIRED", Field: "address", Line: -1, Text: "The address for the delivery is missing."})
	case s.Point != "" && s.Chosen() == nil:
		s.refuse(Problem{Code: "DELIVERY_NOT_FOUND", Field: "delivery", Line: -1, Text: "The shop has no such pickup point."})
	}
}
