package acp

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"vitrine/admin/assist"
	"vitrine/compile/lead"
	"vitrine/internal/pay"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

// session is a checkout session as an assistant is answered.
type session struct {
	ID           string     `json:"id"`
	Protocol     version    `json:"protocol"`
	Capabilities offered    `json:"capabilities"`
	Buyer        *buyer     `json:"buyer,omitempty"`
	Status       status     `json:"status"`
	Currency     string     `json:"currency" doc:"in lower case"`
	LineItems    []line     `json:"line_items"`
	Fulfillment  *details   `json:"fulfillment_details,omitempty"`
	Options      []option   `json:"fulfillment_options"`
	Selected     []selected `json:"selected_fulfillment_options"`
	Totals       []total    `json:"totals"`
	Messages     []message  `json:"messages"`
	Links        []link     `json:"links"`
	CreatedAt    time.Time  `json:"created_at"`
	UpdatedAt    time.Time  `json:"updated_at"`
	ExpiresAt    time.Time  `json:"expires_at"`
	ContinueURL  string     `json:"continue_url,omitempty" doc:"opens the shop's checkout with everything filled in"`
	Discounts    *discounts `json:"discounts,omitempty"`
	Order        *order     `json:"order,omitempty" doc:"with all that happened to it, when the session is read"`
}

type version struct {
	Version string `json:"version"`
}

// status is how far a session has come.
type status string

// The statuses.
const (
	notReady   status = "not_ready_for_payment"
	ready      status = "ready_for_payment"
	escalation status = "requires_escalation"
	inProgress status = "complete_in_progress"
	completed  status = "completed"
	canceled   status = "canceled"
	expired    status = "expired"
)

// Values lists the statuses as texts.
func (status) Values() []string {
	return shop.Texts([]status{notReady, ready, escalation, inProgress, completed, canceled, expired})
}

var statuses = map[assist.Status]status{
	assist.Incomplete: notReady, assist.Ready: ready, assist.Escalation: escalation, assist.InProgress: inProgress, assist.Done: completed, assist.Canceled: canceled,
}

// offered is what the shop can do in a session.
type offered struct {
	Payment    payment  `json:"payment"`
	Extensions []string `json:"extensions,omitempty"`
}

type payment struct {
	Handlers []handler `json:"handlers"`
}

type line struct {
	ID         string   `json:"id"`
	Item       lineItem `json:"item"`
	Quantity   int64    `json:"quantity"`
	Name       string   `json:"name"`
	Images     []string `json:"images,omitempty"`
	UnitAmount int64    `json:"unit_amount"`
	ProductID  string   `json:"product_id"`
	Totals     []total  `json:"totals"`
}

type lineItem struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	UnitAmount int64  `json:"unit_amount"`
}

// total is an amount in minor units. Discounts are above 0.
type total struct {
	Type        string `json:"type" enum:"items_base_amount,items_discount,subtotal,discount,fulfillment,tax,total,amount_refunded"`
	DisplayText string `json:"display_text"`
	Amount      int64  `json:"amount"`
	Description string `json:"description,omitempty"`
}

type option struct {
	Type        string    `json:"type" enum:"shipping,pickup"`
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Description string    `json:"description,omitempty"`
	Location    *location `json:"location,omitempty" doc:"of a pickup"`
	Totals      []total   `json:"totals"`
}

type location struct {
	Name         string  `json:"name"`
	Address      address `json:"address"`
	Instructions string  `json:"instructions,omitempty"`
}

type link struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type discounts struct {
	Codes    []string   `json:"codes"`
	Applied  []applied  `json:"applied"`
	Rejected []rejected `json:"rejected"`
}

type applied struct {
	ID        string `json:"id"`
	Code      string `json:"code,omitempty"`
	Coupon    coupon `json:"coupon"`
	Amount    int64  `json:"amount"`
	Automatic bool   `json:"automatic"`
}

type coupon struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type rejected struct {
	Code    string `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// linkTypes are the types of links that this protocol names in its own way.
var linkTypes = map[assist.PolicyKind]string{assist.TermsOfService: "terms_of_use", assist.RefundPolicy: "return_policy"}

// links lists the shop's pages of terms.
func links(r *request) []link {
	list := []link{}
	for _, p := range assist.Policies(r.shop.Site) {
		list = append(list, link{cmp.Or(linkTypes[p.Kind], string(p.Kind)), p.URL})
	}
	return list
}

// shown returns the answer of a session.
func (a *ACP) shown(r *request, st *assist.State) (*session, error) {
	sent, err := read(st.Face)
	if err != nil {
		return nil, err
	}
	handlers := a.handlers(r, st)
	now, why := st.Status(assist.Ability{Pays: len(handlers) > 0, Addresses: true})
	s := &session{
		ID: st.Session.ID, Protocol: version{Version}, Capabilities: offered{Payment: payment{handlers}}, Status: statuses[now], Currency: strings.ToLower(st.Currency),
		LineItems: []line{}, Fulfillment: sent.Fulfillment, Options: options(st), Selected: []selected{}, Totals: totals(st), Messages: messages(st, why), Links: links(r),
		CreatedAt: st.CreatedAt.UTC(), UpdatedAt: st.UpdatedAt.UTC(), ExpiresAt: st.ExpiresAt.UTC(), ContinueURL: st.ContinueURL,
	}
	if s.Status == canceled && st.Gone {
		s.Status = expired
	}
	if b := sent.Buyer; b != nil && lead.IsEmail(b.Email) { // else a message says so
		s.Buyer = b
	}
	if f := s.Fulfillment; f != nil && f.Email != "" && !lead.IsEmail(f.Email) {
		f.Email = ""
	}
	origin := r.shop.Site.Shop().Origin
	for i := range st.Lines {
		s.LineItems = append(s.LineItems, lineOf(st, i, origin))
	}
	if d := st.Delivery; d != nil {
		chosen := selected{Type: kindOf(d), OptionID: d.ID.String(), ItemIDs: []string{}}
		if p := st.Chosen(); p != nil && p.ID != "" {
			chosen.OptionID += ":" + string(p.ID)
		}
		for _, l := range st.Lines {
			chosen.ItemIDs = append(chosen.ItemIDs, l.ItemID)
		}
		s.Selected = append(s.Selected, chosen)
	}
	if sent.Capabilities.discounts() {
		s.Capabilities.Extensions = []string{discountExtension}
		s.Discounts = discountsOf(st)
	}
	if st.Order != nil {
		s.Order = orderOf(&assist.Ordered{State: st, Origin: origin})
	}
	return s, nil
}

func lineOf(st *assist.State, i int, origin string) line {
	l, m := &st.Lines[i], st.LineMoney(i)
	out := line{
		ID: l.ID, Item: lineItem{l.ItemID, l.Title, m.Unit}, Quantity: l.Quantity, Name: l.Title, UnitAmount: m.Unit, ProductID: l.Product.String(),
		Totals: []total{{Type: "items_base_amount", DisplayText: "Base amount", Amount: m.Subtotal}},
	}
	if l.Image != "" {
		out.Images = []string{origin + l.Image}
	}
	if m.Discount != 0 {
		out.Totals = append(out.Totals, total{Type: "items_discount", DisplayText: "Discount", Amount: m.Discount})
	}
	out.Totals = append(out.Totals, total{Type: "subtotal", DisplayText: "Subtotal", Amount: m.Total}, total{Type: "total", DisplayText: "Total", Amount: m.Total})
	return out
}

// totals lists the amounts of a session in the way of this protocol: discounts above 0, and a
// subtotal after those of the lines.
func totals(st *assist.State) []total {
	list := []total{{Type: "items_base_amount", DisplayText: "Items"}}
	subtotal := total{Type: "subtotal", DisplayText: "Subtotal"}
	var rest []total
	for _, t := range st.Totals() {
		switch t.Kind {
		case assist.TotalSubtotal:
			list[0].Amount = t.Amount
			subtotal.Amount += t.Amount
		case assist.TotalItemsDiscount:
			list = append(list, total{Type: "items_discount", DisplayText: "Discount on items", Amount: -t.Amount})
			subtotal.Amount += t.Amount
		case assist.TotalDiscount:
			rest = append(rest, total{Type: "discount", DisplayText: titled(t.Title, "Discount"), Amount: -t.Amount})
		case assist.TotalFulfillment:
			rest = append(rest, total{Type: "fulfillment", DisplayText: titled(t.Title, "Delivery"), Amount: t.Amount})
		case assist.TotalTax:
			rest = append(rest, total{Type: "tax", DisplayText: titled(t.Title, "Tax"), Amount: t.Amount})
		case assist.TotalAll:
			rest = append(rest, total{Type: "total", DisplayText: "Total", Amount: t.Amount, Description: included(st)})
		}
	}
	return append(append(list, subtotal), rest...)
}

// included says which taxes the total contains.
func included(st *assist.State) string {
	var parts []string
	for _, t := range st.Taxes {
		if st.Included && t.Amount != 0 {
			parts = append(parts, t.Name+" "+shop.Amount(t.Amount, st.Digits)+" "+st.Currency)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Includes " + strings.Join(parts, ", ")
}

func titled(title, otherwise string) string {
	if title == "" {
		return otherwise
	}
	return title
}

func kindOf(d *assist.Delivery) string {
	if d.Kind == shop.DeliveryPickup {
		return "pickup"
	}
	return "shipping"
}

// options lists the ways in which the goods can be delivered. A pickup is one for each of its points.
func options(st *assist.State) []option {
	list := []option{}
	for i := range st.Deliveries {
		d := &st.Deliveries[i]
		o := option{
			Type: kindOf(d), ID: d.ID.String(), Title: d.Name, Description: d.Description,
			Totals: []total{{Type: "total", DisplayText: d.Name, Amount: st.Minor(d.Price)}},
		}
		if d.Days != nil {
			o.Description = strings.TrimSpace(o.Description + " Arrives within " + strconv.Itoa(*d.Days) + " days.")
		}
		if o.Type == "shipping" {
			list = append(list, o)
			continue
		}
		for _, p := range d.Points {
			at := o
			at.ID += ":" + string(p.ID)
			at.Location = &location{Name: p.Name, Address: address{Name: p.Name, LineOne: p.Address}, Instructions: p.Hours}
			list = append(list, at)
		}
		if len(d.Points) == 0 {
			o.Location = &location{Name: d.Name, Address: address{Name: d.Name}}
			list = append(list, o)
		}
	}
	return list
}

func discountsOf(st *assist.State) *discounts {
	out := &discounts{Codes: []string{}, Applied: []applied{}, Rejected: []rejected{}}
	out.Codes = append(out.Codes, st.Input.Codes...)
	for i, d := range st.Applied {
		id := "discount_" + strconv.Itoa(i+1)
		out.Applied = append(out.Applied, applied{ID: id, Code: d.Code, Coupon: coupon{id, d.Title}, Amount: st.Minor(d.Amount), Automatic: d.Code == ""})
	}
	for _, c := range st.Codes {
		if c.Refused != "" {
			out.Rejected = append(out.Rejected, rejected{c.Code, reasonOf(c.Refused), textOf(c)})
		}
	}
	return out
}

// handler is a way to pay.
type handler struct {
	ID                string         `json:"id"`
	Name              string         `json:"name"`
	Title             string         `json:"display_name"`
	Version           string         `json:"version"`
	Spec              string         `json:"spec"`
	Delegates         bool           `json:"requires_delegate_payment"`
	NeedsPCI          bool           `json:"requires_pci_compliance"`
	PSP               string         `json:"psp"`
	ConfigSchema      string         `json:"config_schema"`
	InstrumentSchemas []string       `json:"instrument_schemas"`
	Config            map[string]any `json:"config"`
}

// The ids of the handlers, and where the protocol describes the card.
const (
	manualHandler = "manual"
	cardHandler   = "card_tokenized"
	specs         = "https://acp.dev/"
	cardVersion   = "2026-01-22"
)

// tokens reports whether assistants can grant a shop tokens to take money with.
func tokens(c pay.Handler) bool { return c.Provider == "stripe" && c.MerchantID != "" }

// handlers lists the ways to pay for a session here.
func (a *ACP) handlers(r *request, st *assist.State) []handler {
	list := []handler{}
	for _, m := range st.Methods {
		if m.Method == sales.ManualMethod {
			list = append(list, handler{
				ID: manualHandler, Name: a.Assist.Namespace + ".offline", Title: titled(m.Title, "By agreement with the shop"), Version: Version, Spec: specs, PSP: "seller_managed",
				ConfigSchema: specs, InstrumentSchemas: []string{}, Config: map[string]any{"instructions": m.Instructions},
			})
		}
	}
	if c := r.card; tokens(c) {
		environment := "sandbox"
		if c.Live {
			environment = "production"
		}
		at := specs + "schemas/handlers/tokenized.card/"
		list = append(list, handler{
			ID: cardHandler, Name: "dev.acp.tokenized.card", Title: "Card", Version: cardVersion, Spec: specs + "handlers/tokenized.card", Delegates: true, PSP: c.Provider,
			ConfigSchema: at + "config.json", InstrumentSchemas: []string{at + "instrument.json"},
			Config: map[string]any{
				"merchant_id": c.MerchantID, "psp": c.Provider, "accepted_brands": []string{"visa", "mastercard", "amex", "discover"}, "supports_3ds": false, "environment": environment,
			},
		})
	}
	return list
}
