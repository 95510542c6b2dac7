package ucp

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"vitrine/admin/assist"
	"vitrine/internal/shop"
)

type lineRequest struct {
	ID   string `json:"id" doc:"ignored: lines of the same item are one"`
	Item struct {
		ID string `json:"id" required:"always" doc:"the id of a variant, as the catalog has it"`
	} `json:"item" required:"always"`
	Quantity *int64 `json:"quantity" required:"always" doc:"at least 1; at most 9999 units are sold"`
}

// Buyer is the person who buys.
type Buyer struct {
	FirstName string   `json:"first_name,omitempty"`
	LastName  string   `json:"last_name,omitempty"`
	Email     string   `json:"email,omitempty"`
	Phone     string   `json:"phone_number,omitempty"`
	Consent   *Consent `json:"consent,omitempty"`
}

// Consent is what the buyer agrees to.
type Consent struct {
	Analytics   *bool `json:"analytics,omitempty"`
	Preferences *bool `json:"preferences,omitempty"`
	Marketing   *bool `json:"marketing,omitempty" doc:"true: letters of the shop"`
	SaleOfData  *bool `json:"sale_of_data,omitempty"`
}

// whereabouts is where the buyer roughly is, for prices before an address is known.
type whereabouts struct {
	Country     string   `json:"address_country"`
	Region      string   `json:"address_region"`
	Postcode    string   `json:"postal_code"`
	Eligibility []string `json:"eligibility" doc:"not accepted"`
}

type cartRequest struct {
	ID        *string       `json:"id" doc:"of an update: the one of the path, or none"`
	Lines     []lineRequest `json:"line_items" max:"100"`
	Buyer     Buyer         `json:"buyer"`
	Context   whereabouts   `json:"context"`
	Discounts struct {
		Codes []string `json:"codes" max:"10"`
	} `json:"discounts"`
	Attribution map[string]string `json:"attribution" max:"32"`
}

type checkoutRequest struct {
	cartRequest
	CartID      string              `json:"cart_id" doc:"of a new checkout: the cart whose items, buyer and codes it takes"`
	Fulfillment *fulfillmentRequest `json:"fulfillment"`
}

// sameID refuses an id in a body that is not the one of the path.
func (r *request) sameID(sent *string) error {
	if sent != nil && *sent != r.id {
		return errRequest.with("id is not the one of the path")
	}
	return nil
}

// kept is what this protocol has to answer again.
type kept struct {
	Destinations []Destination `json:"destinations,omitempty"` // of shipping
	Selected     string        `json:"selected,omitempty"`     // the id of one
}

// input translates a body. Extensions that were not negotiated do not exist.
func (r *request) input(in cartRequest, f *fulfillmentRequest) (out assist.Input, err error) {
	if in.Lines == nil && r.op.Tool != "create_checkout" {
		return out, errRequest.with("line_items is missing")
	}
	for i, l := range in.Lines {
		if l.Quantity == nil || *l.Quantity < 1 {
			return out, errRequest.with("line_items[" + strconv.Itoa(i) + "].quantity must be a whole number of at least 1")
		}
		out.Items = append(out.Items, assist.Item{ID: l.Item.ID, Quantity: *l.Quantity})
	}
	b := in.Buyer
	out.Contact = assist.Contact{FirstName: b.FirstName, LastName: b.LastName, Email: b.Email, Phone: b.Phone}
	if has(r.shared, buyerConsent) && b.Consent != nil {
		if out.Consent, err = json.Marshal(b.Consent); err != nil {
			return out, err
		}
		out.Marketing = b.Consent.Marketing != nil && *b.Consent.Marketing
	}
	if c := in.Context; c.Country != "" || c.Region != "" || c.Postcode != "" {
		out.Near = &assist.Address{Country: countryOf(c.Country), Region: c.Region, Postcode: c.Postcode}
	}
	if len(in.Context.Eligibility) > 0 {
		r.messages = append(r.messages, Message{Type: "warning", Code: "eligibility_not_accepted", Content: "The shop knows no such benefits.", Path: "$.context.eligibility"})
	}
	if has(r.shared, discount) {
		out.Codes = in.Discounts.Codes
	}
	out.Attribution = in.Attribution
	if f != nil && has(r.shared, fulfillment) {
		return out, f.into(&out)
	}
	return out, nil
}

type fulfillmentRequest struct {
	Methods []methodRequest `json:"methods" max:"10"`
}

type methodRequest struct {
	ID           string        `json:"id" doc:"shipping or pickup"`
	Type         string        `json:"type" enum:"shipping,pickup" blank:"as the id says"`
	LineIDs      []string      `json:"line_item_ids" max:"200" doc:"the method with lines is the chosen one, else the first"`
	Destinations []Destination `json:"destinations" max:"20"`
	Selected     string        `json:"selected_destination_id"`
	Groups       []struct {
		ID     string `json:"id"`
		Option string `json:"selected_option_id"`
	} `json:"groups" max:"10"`
}

func (m methodRequest) kind() string { return cmp.Or(m.Type, m.ID) }

// into translates how the goods should reach the buyer.
func (f *fulfillmentRequest) into(in *assist.Input) (err error) {
	if len(f.Methods) == 0 {
		return nil
	}
	m := f.Methods[max(slices.IndexFunc(f.Methods, func(m methodRequest) bool { return len(m.LineIDs) > 0 }), 0)]
	option := m.Selected
	switch m.kind() {
	case shipping:
		in.Way, option = shop.DeliveryToAddress, ""
	case pickup:
		in.Way = shop.DeliveryPickup
	default:
		return errRequest.with("fulfillment.methods has a type that is neither shipping nor pickup")
	}
	if len(m.Groups) > 0 && m.Groups[0].Option != "" {
		option = m.Groups[0].Option
	}
	if in.Option, in.Point, err = readOption(option); err != nil {
		return err
	}
	if in.Way == shop.DeliveryPickup {
		if _, point, err := readOption(m.Selected); err == nil && point != "" {
			in.Point = point
		}
	}
	for _, other := range f.Methods {
		if other.kind() == shipping {
			return keepDestinations(in, other)
		}
	}
	return nil
}

// keepDestinations stores the addresses of the buyer, each with an id, and takes the selected one.
func keepDestinations(in *assist.Input, m methodRequest) (err error) {
	if len(m.Destinations) == 0 {
		return nil
	}
	k := kept{Destinations: m.Destinations, Selected: m.Selected}
	for i := range k.Destinations {
		if d := &k.Destinations[i]; d.ID == "" {
			d.ID = "address-" + strconv.Itoa(i+1)
		}
	}
	at := max(slices.IndexFunc(k.Destinations, func(d Destination) bool { return d.ID == m.Selected }), 0)
	d := k.Destinations[at]
	k.Selected = d.ID
	in.Address = &assist.Address{
		Name: strings.TrimSpace(d.FirstName + " " + d.LastName), Phone: d.Phone, Country: countryOf(d.Country), Region: d.Region, City: d.Locality,
		Street: strings.Trim(d.Street+", "+d.Extended, ", "), Postcode: d.Postcode,
	}
	in.Face, err = json.Marshal(k)
	return err
}

// An option of pick-up is named by its id, and at one of several points by both.
func optionID(id shop.DeliveryID, point shop.PointID) string {
	if point == "" {
		return id.String()
	}
	return id.String() + ":" + string(point)
}

func readOption(text string) (shop.DeliveryID, shop.PointID, error) {
	if text == "" {
		return 0, "", nil
	}
	first, point, _ := strings.Cut(text, ":")
	id, ok := number(first, 32)
	if !ok {
		id = 1<<31 - 1 // no option has it: the answer says so
	}
	return shop.DeliveryID(id), shop.PointID(point), nil
}
