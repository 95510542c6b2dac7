package ucp

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"vitrine/admin/assist"
	"vitrine/compile/price"
	"vitrine/internal/shop"
)

// Total is an amount in minor units of the currency; discounts are below 0.
type Total struct {
	Type   string      `json:"type"`
	Amount int64       `json:"amount"`
	Text   string      `json:"display_text,omitempty"`
	Lines  []TotalLine `json:"lines,omitempty" doc:"what the amount consists of"`
}

// TotalLine is a part of an amount.
type TotalLine struct {
	Text   string `json:"display_text"`
	Amount int64  `json:"amount"`
}

// Discounts are the codes of the buyer, as sent, and what was taken off.
type Discounts struct {
	Codes   []string  `json:"codes,omitempty"`
	Applied []Applied `json:"applied,omitempty"`
}

// Applied is a discount. One of single lines says how much each got.
type Applied struct {
	Title       string       `json:"title"`
	Amount      int64        `json:"amount"`
	Code        string       `json:"code,omitempty"`
	Automatic   bool         `json:"automatic"`
	Method      string       `json:"method,omitempty" enum:"each,across"`
	Allocations []Allocation `json:"allocations,omitempty"`
}

// Allocation is the part of a discount that a line got.
type Allocation struct {
	Path   string `json:"path"`
	Amount int64  `json:"amount"`
}

// totalsOf lists the amounts of a session. Tax that is part of the prices is only a part of the total.
func totalsOf(s *assist.State) (list []Total) {
	for _, t := range s.Totals() {
		total := Total{Type: string(t.Kind), Amount: t.Amount, Text: t.Title}
		if t.Kind == assist.TotalAll && s.Included && len(s.Taxes) > 0 {
			net := t.Amount
			var taxes []TotalLine
			for _, tax := range s.Taxes {
				amount := s.Minor(tax.Amount)
				net -= amount
				taxes = append(taxes, TotalLine{tax.Name, amount})
			}
			total.Lines = append([]TotalLine{{"Without tax", net}}, taxes...)
		}
		list = append(list, total)
	}
	return list
}

func (r *request) linesOf(s *assist.State) []LineItem {
	list := make([]LineItem, 0, len(s.Lines))
	for i, l := range s.Lines {
		m := s.LineMoney(i)
		item := LineItem{ID: l.ID, Item: Item{ID: l.ItemID, Title: l.Title, Price: m.Unit}, Quantity: l.Quantity}
		if l.Image != "" {
			item.Item.Image = r.shop.Site.Shop().Origin + l.Image
		}
		item.Totals = []Total{{Type: "subtotal", Amount: m.Subtotal}}
		if m.Discount != 0 {
			item.Totals = append(item.Totals, Total{Type: "items_discount", Amount: -m.Discount})
		}
		item.Totals = append(item.Totals, Total{Type: "total", Amount: m.Total})
		list = append(list, item)
	}
	return list
}

func discountsOf(s *assist.State) *Discounts {
	d := &Discounts{Codes: s.Input.Codes}
	for _, a := range s.Applied {
		one := Applied{Title: a.Title, Amount: s.Minor(a.Amount), Code: a.Code, Automatic: a.Code == ""}
		if len(a.Shares) > 0 {
			one.Amount, one.Method = 0, "each"
			for _, share := range a.Shares {
				amount := s.Minor(share.Amount)
				one.Amount += amount
				one.Allocations = append(one.Allocations, Allocation{"$.line_items[" + strconv.Itoa(share.Line) + "]", amount})
			}
		}
		for _, c := range s.Codes { // codes are answered as they were sent
			if a.Code != "" && c.Refused == "" && price.CleanCode(c.Code) == a.Code {
				one.Code = c.Code
			}
		}
		d.Applied = append(d.Applied, one)
	}
	return d
}

// links lists the shop's pages of terms.
func (r *request) links() []Link {
	list := []Link{}
	for _, p := range assist.Policies(r.shop.Site) {
		list = append(list, Link{string(p.Kind), p.URL})
	}
	return list
}

func (r *request) basket(s *assist.State) basket {
	b := basket{
		UCP: SessionMeta{Meta: r.meta()}, ID: s.Session.ID, Lines: r.linesOf(s), Currency: s.Currency, Totals: totalsOf(s), Links: r.links(), Expires: s.ExpiresAt.UTC(),
		Messages: slices.Concat(r.messages, problems(s.Problems, "error"), problems(s.Notices, "warning"), codeMessages(s)),
	}
	if has(r.shared, discount) {
		b.Discounts = discountsOf(s)
	}
	if has(r.shared, linking) && r.caller.Linked == 0 && !s.Ended() {
		b.Messages = append(b.Messages, info("identity_optional", "Buyers can link their account of this shop: the order is in their history then.", ""))
	}
	c := s.Contact
	buyer := Buyer{FirstName: c.FirstName, LastName: c.LastName, Email: c.Email, Phone: c.Phone}
	if len(s.Consent) > 0 && has(r.shared, buyerConsent) {
		buyer.Consent = &Consent{}
		if json.Unmarshal(s.Consent, buyer.Consent) != nil {
			buyer.Consent = nil
		}
	}
	if buyer != (Buyer{}) {
		b.Buyer = &buyer
	}
	return b
}

func (r *request) cart(s *assist.State) (out Cart) {
	if s != nil {
		out.basket = r.basket(s)
	}
	return out
}

func (r *request) checkout(s *assist.State) (out Checkout) {
	if s == nil {
		return out
	}
	delivers := has(r.shared, fulfillment)
	if a := s.Address; a != nil && a.Country != "" && !shop.IsCountry(a.Country) && !s.Ended() {
		s.Problems = append(s.Problems, assist.Problem{Code: countryUnknown, Line: -1, Severity: assist.Recoverable, Text: "There is no country " + strconv.Quote(a.Country) + "."})
	}
	handlers := r.handlers(s)
	status, why := s.Status(assist.Ability{Pays: len(handlers) > 0, Addresses: delivers})
	if !delivers {
		s.Problems = slices.DeleteFunc(s.Problems, func(p assist.Problem) bool { return p.Code == "ADDRESS_REQUIRED" })
	}
	if status == assist.Escalation && !slices.ContainsFunc(append(s.Problems, s.Notices...), func(p assist.Problem) bool { return p.Code == why && p.Severity != assist.Recoverable }) {
		s.Notices = slices.DeleteFunc(s.Notices, func(p assist.Problem) bool { return p.Code == why })
		s.Problems = append(s.Problems, assist.Problem{Code: why, Line: -1, Severity: assist.BuyerInput, Text: escalations[why]})
	}
	out.basket = r.basket(s)
	out.UCP.Handlers = handlers
	out.Status = string(status)
	if delivers {
		out.Fulfillment = fulfillmentOf(s)
	}
	if !s.Ended() {
		out.ContinueURL = s.ContinueURL
	}
	if s.Order != nil {
		out.Order = &OrderMade{ID: s.Order.ID.String(), Label: assist.OrderLabel(s.Order), Permalink: s.OrderURL}
	}
	return out
}

// escalations say why the buyer has to open the shop's page.
var escalations = map[string]string{
	assist.PaymentPage:       "The shop takes the money on its own page.",
	assist.FulfillmentNeeded: "The shop's page asks for the address.",
	assist.HandedOff:         "The buyer has opened the checkout in a browser. It is continued there.",
}

const countryUnknown = "COUNTRY_UNKNOWN"

// mapped is how a problem is told to platforms.
type mapped struct{ code, path string }

// ofProblems maps the problems of sessions, by code and field.
var ofProblems = map[string]mapped{
	"CONTACT_REQUIRED name":  {"field_required", "$.buyer.first_name"},
	"CONTACT_REQUIRED phone": {"field_required", "$.buyer.phone_number"},
	"CONTACT_REQUIRED email": {"field_required", "$.buyer.email"},
	"CONTACT_INVALID name":   {"field_invalid", "$.buyer.first_name"},
	"CONTACT_INVALID phone":  {"field_invalid", "$.buyer.phone_number"},
	"CONTACT_INVALID email":  {"field_invalid", "$.buyer.email"},
	"ADDRESS_REQUIRED":       {"field_required", "$.fulfillment.methods[0].destinations"},
	countryUnknown:           {"field_invalid", "$.fulfillment.methods[0].destinations[0].address_country"},
	"DELIVERY_NOT_POSSIBLE":  {"address_undeliverable", "$.fulfillment.methods[0].destinations[0]"},
	"DELIVERY_NOT_FOUND":     {"field_invalid", "$.fulfillment.methods[0].groups[0].selected_option_id"},
	"ORDER_TOO_LARGE":        {"order_too_large", "$.line_items"},
	assist.ItemUnavailable:   {"item_unavailable", "$.line_items"},
	assist.NoItems:           {"item_unavailable", "$.line_items"},
	assist.PriceChanged:      {"price_changed", "$.totals"},
	assist.PaymentFailed:     {"payment_failed", "$.payment.instruments[0]"},
	assist.QuantityAdjusted:  {"quantity_adjusted", "$.line_items"},
}

// problems translates the problems of a session.
func problems(of []assist.Problem, kind string) (list []Message) {
	for _, p := range of {
		as, known := ofProblems[p.Code+" "+p.Field]
		if !known {
			as, known = ofProblems[p.Code]
		}
		if !known {
			as.code = strings.ToLower(p.Code)
		}
		m := Message{Type: kind, Code: as.code, Content: p.Text, Path: as.path}
		if p.Line >= 0 {
			m.Path = "$.line_items[" + strconv.Itoa(p.Line) + "]"
		}
		if kind == "error" {
			m.Severity = string(p.Severity)
		}
		list = append(list, m)
	}
	return list
}

// codeReasons are the ends of codes of warnings, which begin with discount_code_.
var codeReasons = map[price.Rejection]string{
	price.Expired: "expired", price.AlreadyUsed: "user_ineligible", price.BelowTotal: "minimum_not_met", price.BelowUnits: "minimum_not_met",
	price.Exhausted: "usage_limit_reached", price.BudgetSpent: "usage_limit_reached", assist.Repeated: "already_applied", assist.Combination: "combination_disallowed",
}

// codeMessages warns of codes that are not applied.
func codeMessages(s *assist.State) (list []Message) {
	for i, c := range s.Codes {
		if c.Refused == "" {
			continue
		}
		reason := codeReasons[c.Refused]
		if reason == "" {
			reason = "invalid"
		}
		list = append(list, Message{
			Type: "warning", Code: "discount_code_" + reason, Content: "The code " + strconv.Quote(c.Code) + " is not applied.", Path: "$.discounts.codes[" + strconv.Itoa(i) + "]",
		})
	}
	return list
}
