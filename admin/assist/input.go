package assist

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/compile/price"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

// The limits of an Input.
const (
	MaxItems = price.MaxLines
	MaxCodes = 10
	maxText  = 255  // characters of a field of a contact or an address
	maxNotes = 4000 // characters of a comment
	maxExtra = 32   // entries of an attribution
)

// Input is what a platform says about a session. A face stores it as a whole.
type Input struct {
	Items   []Item  `json:"items"`
	Contact Contact `json:"contact"`

	Address *Address          `json:"address,omitempty"` // where it is delivered; nil: not named
	Near    *Address          `json:"near,omitempty"`    // where the buyer roughly is, for prices before an address is named
	Way     shop.DeliveryKind `json:"way,omitempty"`     // how the goods should reach the buyer; empty: either way
	Option  shop.DeliveryID   `json:"option,omitempty"`  // 0: the first possible one of Way
	Point   shop.PointID      `json:"point,omitempty"`   // of a pickup; empty: the first one

	Codes       []string          `json:"codes,omitempty"` // as sent
	Comment     string            `json:"comment,omitempty"`
	Consent     json.RawMessage   `json:"consent,omitempty"` // an object, echoed
	Marketing   bool              `json:"marketing,omitempty"`
	Attribution map[string]string `json:"attribution,omitempty"`

	// Face is what the face wants back with the session: for example the ids of destinations.
	Face json.RawMessage `json:"face,omitempty"`
}

// Item is goods as a platform names them.
type Item struct {
	ID       string `json:"id"` // "17", or "17-93" for a variant
	Quantity int64  `json:"quantity"`
}

// Contact is the buyer as a platform names them.
type Contact struct {
	FirstName string `json:"first_name,omitempty"`
	LastName  string `json:"last_name,omitempty"`
	Email     string `json:"email,omitempty"`
	Phone     string `json:"phone,omitempty"`
}

// Address is where goods go.
type Address struct {
	Name     string `json:"name,omitempty"` // of the recipient
	Phone    string `json:"phone,omitempty"`
	Country  string `json:"country,omitempty"`
	Region   string `json:"region,omitempty"`
	City     string `json:"city,omitempty"`
	Street   string `json:"street,omitempty"`
	Postcode string `json:"postcode,omitempty"`
}

// ErrInput refuses an Input that is no state of a session: it changes nothing.
var ErrInput = shop.ErrInvalidRequest

// check refuses an input that exceeds a limit, and trims its texts.
func (in *Input) check() error {
	switch {
	case len(in.Items) > MaxItems:
		return ErrInput.At("items").With("at most " + strconv.Itoa(MaxItems) + " items")
	case len(in.Codes) > MaxCodes:
		return ErrInput.At("codes").With("at most " + strconv.Itoa(MaxCodes) + " codes")
	case len(in.Attribution) > maxExtra:
		return ErrInput.At("attribution").With("at most " + strconv.Itoa(maxExtra) + " entries")
	case utf8.RuneCountInString(in.Comment) > maxNotes:
		return ErrInput.At("comment").With("at most " + strconv.Itoa(maxNotes) + " characters")
	}
	for i, item := range in.Items {
		if item.Quantity < 1 {
			return ErrInput.At("items[" + strconv.Itoa(i) + "].quantity").With("must be a whole number of at least 1")
		}
	}
	texts := []*string{&in.Contact.FirstName, &in.Contact.LastName, &in.Contact.Email, &in.Contact.Phone}
	for _, a := range []*Address{in.Address, in.Near} {
		if a != nil {
			texts = append(texts, &a.Name, &a.Phone, &a.Country, &a.Region, &a.City, &a.Street, &a.Postcode)
		}
	}
	for i := range in.Codes {
		texts = append(texts, &in.Codes[i])
	}
	for i := range in.Items {
		texts = append(texts, &in.Items[i].ID)
	}
	for _, text := range texts {
		if *text = strings.TrimSpace(shop.OneLine(*text)); utf8.RuneCountInString(*text) > maxText {
			return ErrInput.With("a text has at most " + strconv.Itoa(maxText) + " characters")
		}
	}
	for name, value := range in.Attribution {
		if utf8.RuneCountInString(name) > maxText || utf8.RuneCountInString(value) > maxText {
			return ErrInput.At("attribution").With("a text has at most " + strconv.Itoa(maxText) + " characters")
		}
	}
	return nil
}

// contact returns the contact of an order. A buyer without a name is the recipient.
func (in *Input) contact() sales.Contact {
	c := sales.Contact{Name: strings.TrimSpace(in.Contact.FirstName + " " + in.Contact.LastName), Phone: in.Contact.Phone, Email: in.Contact.Email}
	if in.Address != nil {
		if c.Name == "" {
			c.Name = in.Address.Name
		}
		if c.Phone == "" {
			c.Phone = in.Address.Phone
		}
	}
	return c
}

// place returns where the goods go, completed by where the buyer roughly is. Prices are computed for it and
// the order has it, so that both have the same taxes; a pickup too, like in the shop's own checkout.
func (in *Input) place() (a Address) {
	if in.Address != nil {
		a = *in.Address
	}
	if n := in.Near; n != nil && a.Country == "" && a.Region == "" && a.Postcode == "" {
		a.Country, a.Region, a.Postcode = n.Country, n.Region, n.Postcode
	}
	return a
}

// address returns the address of an order, nil if none is named.
func (in *Input) address() json.RawMessage {
	a := in.place()
	if a == (Address{}) {
		return nil
	}
	b, err := json.Marshal(a)
	if err != nil {
		return nil // texts are always encodable
	}
	return b
}

// destination returns where prices are computed for.
func (in *Input) destination() shop.Destination {
	a := in.place()
	return shop.NewDestination(a.Country, a.Region, a.Postcode)
}

// goods returns the lines of the items. dropped are the items whose id names nothing.
func (in *Input) goods() (lines []sales.CartLine, dropped []string, adjusted bool) {
	for _, item := range in.Items {
		line, ok := lineOf(item.ID)
		if !ok {
			dropped = append(dropped, item.ID)
			continue
		}
		if line.Quantity = min(item.Quantity, price.MaxQuantity); line.Quantity < item.Quantity {
			adjusted = true
		}
		at := slices.IndexFunc(lines, func(l sales.CartLine) bool { return l.Product == line.Product && l.Key == line.Key })
		if at < 0 {
			lines = append(lines, line)
			continue
		}
		sum := lines[at].Quantity + line.Quantity
		lines[at].Quantity = min(sum, price.MaxQuantity)
		adjusted = adjusted || sum > price.MaxQuantity
	}
	return lines, dropped, adjusted
}

const defaultKey = "default"

// lineOf returns the line of an item's id.
func lineOf(id string) (l sales.CartLine, ok bool) {
	product, variant, ok := ReadItemID(id)
	l.Product, l.Key = product, defaultKey
	if variant != 0 {
		l.Key = "v" + variant.String()
	}
	return l, ok
}

// ReadItemID reads the id of an item: "17" of a product, "17-93" of a variant, also as feeds write
// it ("17v93").
func ReadItemID(id string) (product shop.ProductID, variant shop.VariantID, ok bool) {
	first, second, both := strings.Cut(id, "-")
	if !both {
		first, second, both = strings.Cut(id, "v")
	}
	n, ok := plainID(first)
	if !ok || n > maxProduct {
		return 0, 0, false
	}
	if both {
		v, ok := plainID(second)
		return shop.ProductID(n), shop.VariantID(v), ok
	}
	return shop.ProductID(n), 0, true
}

const maxProduct = 1<<31 - 1

// plainID reads a positive number in its only form.
func plainID(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n > 0 && n < 1e18 && strconv.FormatInt(n, 10) == text
}

// ItemID returns the id of the item that a line buys.
func ItemID(product shop.ProductID, variant shop.VariantID) string {
	if variant == 0 {
		return product.String()
	}
	return product.String() + "-" + variant.String()
}
