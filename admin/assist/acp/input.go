package acp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"vitrine/admin/api/body"
	"vitrine/admin/assist"
	"vitrine/internal/shop"
)

// createRequest is what an assistant states about a session at its beginning.
type createRequest struct {
	updateRequest
	Currency     string        `json:"currency" required:"always" len:"10"`
	Capabilities *capabilities `json:"capabilities" required:"always"`
	Locale       string        `json:"locale"`
	Timezone     string        `json:"timezone"`
	Attribution  *attribution  `json:"affiliate_attribution"`
	Consents     []consent     `json:"marketing_consents"`
}

// updateRequest is what a change may state about a session.
type updateRequest struct {
	LineItems   []item         `json:"line_items" doc:"at least one"`
	Items       []item         `json:"items" doc:"read if line_items is absent"`
	Buyer       *buyer         `json:"buyer"`
	Fulfillment *details       `json:"fulfillment_details"`
	Selected    []selected     `json:"selected_fulfillment_options"`
	Discounts   *discountCodes `json:"discounts"`
	Coupons     []string       `json:"coupons" doc:"codes, read if discounts is absent"`
	Notes       string         `json:"order_notes" len:"4000"`
}

type item struct {
	ID       string `json:"id" doc:"a product such as 17, or a variant of it such as 17-93"`
	Quantity *int64 `json:"quantity" doc:"1 if absent"`
	Item     *named `json:"item"`
}

type named struct {
	ID string `json:"id" required:"always"`
}

type buyer struct {
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	FullName  string `json:"full_name,omitempty"`
	Email     string `json:"email" required:"always"`
	Phone     string `json:"phone_number,omitempty"`
}

type details struct {
	Name    string   `json:"name,omitempty"`
	Phone   string   `json:"phone_number,omitempty"`
	Email   string   `json:"email,omitempty"`
	Address *address `json:"address,omitempty"`
}

type address struct {
	Name     string `json:"name"`
	LineOne  string `json:"line_one"`
	LineTwo  string `json:"line_two,omitempty"`
	City     string `json:"city"`
	State    string `json:"state"`
	Country  string `json:"country"`
	Postcode string `json:"postal_code"`
	Company  string `json:"company,omitempty"`
}

type selected struct {
	Type     string   `json:"type" enum:"shipping,digital,pickup,local_delivery"`
	OptionID string   `json:"option_id"`
	ItemIDs  []string `json:"item_ids"`
}

type discountCodes struct {
	Codes []string `json:"codes"`
}

// capabilities is what the assistant can do: only its extensions matter here.
type capabilities struct {
	Extensions []extension `json:"extensions"`
}

// extension is a name, or an object with one.
type extension string

func (e *extension) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte("{")) {
		var o struct {
			Name string `json:"name"`
		}
		err := json.Unmarshal(b, &o)
		*e = extension(o.Name)
		return err
	}
	return json.Unmarshal(b, (*string)(e))
}

const discountExtension = "discount"

func (c *capabilities) discounts() bool {
	return c != nil && slices.ContainsFunc(c.Extensions, func(e extension) bool {
		name, _, _ := strings.Cut(string(e), "@")
		return name == discountExtension || strings.HasSuffix(name, "."+discountExtension)
	})
}

type attribution struct {
	Provider  string `json:"provider"`
	Publisher string `json:"publisher_id"`
	Campaign  string `json:"campaign_id"`
	Creative  string `json:"creative_id"`
	Sub       string `json:"sub_id"`
}

// completeRequest is what an assistant says at the end. What it states about the buyer counts as a change.
type completeRequest struct {
	Buyer    *buyer       `json:"buyer"`
	Payment  *paymentData `json:"payment_data" doc:"not needed for a total of 0"`
	Consents []consent    `json:"marketing_consents"`
	Notes    string       `json:"order_notes" len:"4000"`
}

type consent struct {
	Channel string `json:"channel"`
	OptedIn bool   `json:"opted_in"`
}

type paymentData struct {
	Handler    string      `json:"handler_id"`
	Instrument *instrument `json:"instrument"`
}

type instrument struct {
	Type       string      `json:"type"`
	Credential *credential `json:"credential"`
}

type credential struct {
	Type  string `json:"type"`
	Token string `json:"token" len:"4096"`
}

type cancelRequest struct {
	Trace *trace `json:"intent_trace" doc:"why; not kept"`
}

type trace struct {
	Reason string `json:"reason_code"`
}

// document is all that an assistant has stated about a session, as JSON: its first request with the
// changes merged into it.
type document = json.RawMessage

// said is a document as it is read.
type said struct{ createRequest }

var (
	documentShape = body.ShapeOf(reflect.TypeFor[createRequest]())
	updateShape   = body.ShapeOf(reflect.TypeFor[updateRequest]())
	completeShape = body.ShapeOf(reflect.TypeFor[completeRequest]())
)

// kept are the fields of a document. Other fields of a request are dropped.
var kept = map[string]bool{
	"line_items": true, "items": true, "buyer": true, "fulfillment_details": true, "selected_fulfillment_options": true, "discounts": true, "coupons": true, "order_notes": true,
	"currency": true, "capabilities": true, "affiliate_attribution": true, "marketing_consents": true,
}

// first returns the document of a first request.
func first(request []byte) (document, error) {
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(request, &sent); err != nil {
		return nil, bad(400, "invalid", "the body is not a JSON object")
	}
	for name := range sent {
		if !kept[name] {
			delete(sent, name)
		}
	}
	return json.Marshal(sent)
}

// merge applies a change to a document (RFC 7386): absent fields stay, null clears. A field of the
// change that only the first request may have is dropped.
func merge(was document, change []byte) (document, error) {
	var before, patch map[string]json.RawMessage
	if err := json.Unmarshal(was, &before); err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(change)) == 0 {
		return was, nil
	}
	if err := json.Unmarshal(change, &patch); err != nil {
		return nil, bad(400, "invalid", "the body is not a JSON object")
	}
	for name, value := range patch {
		if !kept[name] {
			continue
		}
		switch name {
		case "currency", "capabilities", "affiliate_attribution":
			continue
		case "items": // the older name
			delete(before, "line_items")
		case "line_items":
			delete(before, "items")
		case "discounts":
			delete(before, "coupons")
		case "coupons":
			delete(before, "discounts")
		}
		before[name] = mergeValue(before[name], value)
	}
	return json.Marshal(before)
}

// mergeValue merges objects field by field, and replaces everything else.
func mergeValue(was, change json.RawMessage) json.RawMessage {
	var patch map[string]json.RawMessage
	if json.Unmarshal(change, &patch) != nil || patch == nil {
		return change
	}
	before := map[string]json.RawMessage{}
	if json.Unmarshal(was, &before) != nil || before == nil {
		before = map[string]json.RawMessage{}
	}
	for name, value := range patch {
		if string(value) == "null" {
			delete(before, name)
			continue
		}
		before[name] = mergeValue(before[name], value)
	}
	text, err := json.Marshal(before)
	if err != nil {
		return change // what was read can be written
	}
	return text
}

// read reads a document.
func read(d document) (s said, err error) {
	if _, err := documentShape.Read(d, &s.createRequest, body.Rules{}); err != nil {
		return s, badBody(err)
	}
	return s, nil
}

// badBody says why a body cannot be read.
func badBody(err error) error {
	refusal, ok := shop.AsRefusal(err)
	if !ok {
		return err
	}
	return bad(400, "invalid", refusal.Message()).at(paramOf(refusal.Place))
}

func paramOf(place string) string {
	if place == "" {
		return ""
	}
	return "$." + place
}

// input returns the session's input of a document.
func (s *said) input(d document) (in assist.Input, err error) {
	items := s.LineItems
	if len(items) == 0 {
		items = s.Items
	}
	if len(items) == 0 {
		return in, bad(400, "missing", "a session has at least one item").at("$.line_items")
	}
	for i, sent := range items {
		it := assist.Item{ID: sent.ID, Quantity: 1}
		if sent.Item != nil {
			it.ID = sent.Item.ID
		}
		if sent.Quantity != nil {
			it.Quantity = *sent.Quantity
		}
		at := "$.line_items[" + strconv.Itoa(i) + "]"
		switch {
		case it.ID == "":
			return in, bad(400, "missing", "an item has no id").at(at)
		case it.Quantity < 1:
			return in, bad(400, "invalid", "a quantity is a whole number of at least 1").at(at + ".quantity")
		}
		in.Items = append(in.Items, it)
	}
	if f := s.Fulfillment; f != nil {
		in.Contact.FirstName, in.Contact.Email, in.Contact.Phone = f.Name, f.Email, f.Phone
		if a := f.Address; a != nil {
			in.Address = &assist.Address{
				Name: a.Name, Phone: f.Phone, Country: a.Country, Region: a.State, City: a.City, Postcode: a.Postcode,
				Street: strings.Trim(strings.Join([]string{a.Company, a.LineOne, a.LineTwo}, ", "), ", "),
			}
			in.Address.Street = strings.ReplaceAll(in.Address.Street, ", , ", ", ")
		}
	}
	if b := s.Buyer; b != nil {
		if first := cmp.Or(b.FirstName, b.FullName); first != "" {
			in.Contact.FirstName, in.Contact.LastName = first, b.LastName
		}
		in.Contact.Email, in.Contact.Phone = cmp.Or(b.Email, in.Contact.Email), cmp.Or(b.Phone, in.Contact.Phone)
	}
	if err := s.choose(&in); err != nil {
		return in, err
	}
	in.Codes = s.Coupons
	if s.Discounts != nil {
		in.Codes = s.Discounts.Codes
	}
	if len(in.Codes) > assist.MaxCodes {
		return in, bad(400, "invalid", "at most "+strconv.Itoa(assist.MaxCodes)+" codes").at("$.discounts.codes")
	}
	in.Comment = s.Notes
	in.Attribution = s.Attribution.fields()
	for _, c := range s.Consents {
		in.Marketing = in.Marketing || c.Channel == "email" && c.OptedIn
	}
	if len(s.Consents) > 0 {
		if in.Consent, err = json.Marshal(map[string][]consent{"marketing_consents": s.Consents}); err != nil {
			return in, err
		}
	}
	in.Face = d
	return in, nil
}

// choose reads the chosen delivery: "12", or "12:north" for the pickup point north of it.
func (s *said) choose(in *assist.Input) error {
	if len(s.Selected) == 0 {
		return nil
	}
	at := "$.selected_fulfillment_options[0].option_id"
	if len(s.Selected) > 1 {
		return bad(400, "invalid", "the shop delivers all items in one way").at("$.selected_fulfillment_options")
	}
	option, point, _ := strings.Cut(s.Selected[0].OptionID, ":")
	id, err := strconv.ParseInt(option, 10, 32)
	if err != nil || id < 1 {
		return bad(400, "invalid", "the shop has no such option").at(at)
	}
	in.Option, in.Point = shop.DeliveryID(id), shop.PointID(point)
	return nil
}

// fields returns an attribution in the words of statistics.
func (a *attribution) fields() map[string]string {
	if a == nil {
		return nil
	}
	fields := map[string]string{"utm_source": a.Provider, "utm_medium": a.Publisher, "utm_campaign": a.Campaign, "utm_content": a.Creative, "utm_term": a.Sub}
	for name, value := range fields {
		if value == "" {
			delete(fields, name)
		}
	}
	return fields
}
