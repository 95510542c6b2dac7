package lint

import (
	"bytes"
	"strconv"
	"strings"
)

// Limits of the feed of the Agentic Commerce Protocol. Its schema has none; these are the ones
// that assistants publish.
const (
	acpID          = 100
	acpTitle       = 150
	acpDescription = 5000
)

// shape is what the format allows at one place: an object with these fields only, a list of one
// shape, a text, a whole number, true or false.
type shape struct {
	object   map[string]field
	required []string
	list     *shape
	scalar   byte // the first character of a value: " a text, 0 a number, t true or false

	// done checks an object. Its facts are the scalars in it and in the objects within it.
	done func(c *checker, e *entry)
}

// field is a field of an object. fact is its name among the facts of the objects around it.
type field struct {
	fact  string
	shape *shape
}

var (
	acpText   = &shape{scalar: '"'}
	acpCount  = &shape{scalar: '0'}
	acpNumber = &shape{scalar: '0'} // with decimals too
	acpBool   = &shape{scalar: 't'}
)

// object makes the shape of an object whose facts begin with a name.
func object(name, required string, fields map[string]*shape, done func(*checker, *entry)) *shape {
	s := &shape{object: map[string]field{}, required: strings.Fields(required), done: done}
	for key, of := range fields {
		s.object[key] = field{strings.TrimPrefix(name+"."+key, "."), of}
	}
	return s
}

// acpHeader and acpProduct are the records of a feed (ACP 2026-04-17, schema of feeds).
var (
	acpHeader = object("", "feed_id", map[string]*shape{
		"feed_id": acpText, "account_id": acpText, "target_merchant": acpText, "target_country": acpText,
	}, (*checker).acpHeader)
	acpProduct = object("product", "id title variants", map[string]*shape{
		"id": acpText, "title": acpText, "description": acpWords, "url": acpText, "media": acpMedia, "variants": {list: acpVariant},
	}, (*checker).acpProduct)
	acpVariant = object("variant", "id title price availability", map[string]*shape{
		"id": acpText, "title": acpText, "description": acpWords, "url": acpText, "media": acpMedia,
		"barcodes": {list: object("barcode", "type value", map[string]*shape{"type": acpText, "value": acpText}, nil)},
		"price":    acpMoney("price"), "list_price": acpMoney("list_price"),
		"unit_price": object("unit_price", "amount currency measure reference", map[string]*shape{
			"amount": acpCount, "currency": acpText,
			"measure":   object("measure", "value unit", map[string]*shape{"value": acpNumber, "unit": acpText}, nil),
			"reference": object("reference", "value unit", map[string]*shape{"value": acpCount, "unit": acpText}, nil),
		}, nil),
		"availability":    object("availability", "", map[string]*shape{"available": acpBool, "status": acpText}, nil),
		"categories":      {list: object("category", "value", map[string]*shape{"value": acpText, "taxonomy": acpText}, nil)},
		"condition":       {list: acpText},
		"variant_options": {list: object("option", "name value", map[string]*shape{"name": acpText, "value": acpText}, nil)},
		"seller":          acpSeller, "marketplace": acpSeller,
	}, (*checker).acpVariant)
	acpMedia = &shape{list: object("media", "type url", map[string]*shape{
		"type": acpText, "url": acpText, "alt_text": acpText, "width": acpCount, "height": acpCount,
	}, (*checker).acpMedia)}
	acpSeller = object("seller", "", map[string]*shape{
		"name": acpText, "links": {list: object("link", "type url", map[string]*shape{"type": acpText, "title": acpText, "url": acpText}, nil)},
	}, nil)
	acpWords = object("description", "", map[string]*shape{"plain": acpText, "html": acpText, "markdown": acpText}, (*checker).acpDescription)
)

func acpMoney(name string) *shape {
	return object(name, "amount currency", map[string]*shape{"amount": acpCount, "currency": acpText}, nil)
}

// isACP reports whether JSON lines are a feed: whether their first record is a header or a
// product with variants.
func isACP(out []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimLeft(out, " \t\r\n\xef\xbb\xbf"), []byte("\n"))
	return bytes.HasPrefix(first, []byte("{")) && (bytes.Contains(first, []byte(`"variants"`)) || isACPHeader(first))
}

func isACPHeader(record []byte) bool {
	return bytes.Contains(record, []byte(`"feed_id"`)) && !bytes.Contains(record, []byte(`"variants"`))
}

// acpFeed checks the records one by one.
func (c *checker) acpFeed() {
	c.report.Kind = ACP
	c.summary = summary{ids: map[string]bool{}, products: map[string]bool{}}
	r := reader{c: c}
	for at, first := 0, true; at < len(c.out); at = r.end + 1 {
		if r.end = at + bytes.IndexByte(c.out[at:], '\n'); r.end < at {
			r.end = len(c.out)
		}
		r.facts = r.facts[:0]
		start := r.space(at)
		switch record := c.out[start:r.end]; {
		case len(record) == 0:
			continue
		case isACPHeader(record):
			if !first {
				c.find(start, "header", "the header is the first record")
			}
			r.value(start, "the header", acpHeader)
		default:
			c.report.Offers++
			r.value(start, "a product", acpProduct)
		}
		first = false
	}
	if c.report.Offers == 0 {
		c.find(0, "empty", "the feed has no product")
	}
}

func (c *checker) acpHeader(e *entry) {
	if f, ok := e.fact("target_country"); ok && (len(f.text) != 2 || strings.ToUpper(f.text) != f.text || !alphanumeric(f.text)) {
		c.find(f.at, "country", "a country is two capital letters, not "+quoted(f.text))
	}
}

func (c *checker) acpProduct(e *entry) {
	if f, ok := e.fact("product.id"); ok {
		if c.summary.products[f.text] {
			c.find(f.at, "id_duplicate", "the id "+quoted(f.text)+" is used by two products")
		}
		c.summary.products[f.text] = true
	}
	if _, ok := e.fact("variant.id"); !ok {
		c.find(e.at, "variants", "a product has no variant")
	}
	c.acpNamed(e, "product")
}

// acpNamed checks what products and variants share.
func (c *checker) acpNamed(e *entry, of string) {
	for _, bound := range []struct {
		name string
		most int
	}{{"id", acpID}, {"title", acpTitle}} {
		if f, ok := e.fact(of + "." + bound.name); ok {
			if f.text == "" {
				c.find(f.at, bound.name, f.name+" is empty")
			}
			c.text(f, bound.most)
		}
	}
	if f, ok := e.fact(of + ".url"); ok {
		c.absolute(f, "url", true)
	}
}

func (c *checker) acpVariant(e *entry) {
	if f, ok := e.fact("variant.id"); ok {
		c.unique(f.at, f.text)
	}
	c.acpNamed(e, "variant")
	c.acpCurrency(e, "price")
	c.acpCurrency(e, "list_price")
	amount, ok := e.fact("price.amount")
	price, err := strconv.ParseInt(amount.text, 10, 64)
	if !ok || err != nil {
		return
	}
	if price <= 0 {
		c.find(amount.at, "price", "a price is "+amount.text)
	}
	if list, ok := e.fact("list_price.amount"); ok {
		if before, err := strconv.ParseInt(list.text, 10, 64); err == nil && before <= price {
			c.find(list.at, "list_price", "the list price "+list.text+" is not above the price "+amount.text)
		}
	}
}

func (c *checker) acpCurrency(e *entry, of string) {
	if f, ok := e.fact(of + ".currency"); ok && c.rules.Shop.Currency != "" && f.text != c.rules.Shop.Currency {
		c.find(f.at, "currency", "the shop sells in "+c.rules.Shop.Currency+", not in "+quoted(f.text))
	}
}

func (c *checker) acpMedia(e *entry) {
	kind, _ := e.fact("media.type")
	if f, ok := e.fact("media.url"); ok && kind.text == "image" {
		c.picture(f)
	}
}

func (c *checker) acpDescription(e *entry) {
	if len(e.facts) == 0 {
		c.find(e.at, "description", "a description has a text: plain, html or markdown")
	}
	for _, f := range e.facts {
		c.text(f, acpDescription)
	}
}
