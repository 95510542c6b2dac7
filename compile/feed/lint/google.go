package lint

import (
	"slices"
	"strings"
)

// Limits of Google's format.
const (
	googleID          = 50
	googleTitle       = 150
	googleDescription = 5000
	googleGroup       = 50
	googleTrait       = 100 // a colour or a size
	googleMaterial    = 200
)

var (
	availabilities = []string{"in_stock", "out_of_stock", "preorder", "backorder"}
	conditions     = []string{"new", "refurbished", "used"}
)

func (c *checker) googleFeed() {
	for _, name := range []string{"title", "link"} {
		if !c.summary.head[name] {
			c.find(0, "missing", "the feed has no "+name)
		}
	}
	if c.report.Offers == 0 {
		c.find(0, "empty", "the feed has no item")
	}
}

// item checks one item.
func (c *checker) item(e *entry) {
	for _, name := range []string{"id", "title", "description", "link", "image_link", "availability", "price"} {
		if f, ok := e.fact(name); !ok || f.text == "" {
			c.find(f.at, name, "an item has no "+name)
		}
	}
	for _, f := range e.facts {
		c.itemFact(e, f)
	}
	c.identified(e)
}

func (c *checker) itemFact(e *entry, f fact) {
	if f.text == "" {
		return
	}
	switch f.name {
	case "id":
		e.id = f.text
		c.text(f, googleID)
		c.unique(f.at, f.text)
	case "item_group_id":
		c.text(f, googleGroup)
	case "color", "size":
		c.text(f, googleTrait)
	case "material":
		c.text(f, googleMaterial)
	case "title":
		c.text(f, googleTitle)
		if allCapitals(f.text) {
			c.find(f.at, "title_capitals", "a title is all capitals: "+quoted(f.text))
		}
	case "description":
		c.text(f, googleDescription)
	case "link":
		c.absolute(f, "link", true)
	case "image_link", "additional_image_link":
		c.picture(f)
	case "availability":
		c.oneOf(f, availabilities)
	case "condition":
		c.oneOf(f, conditions)
	case "price":
		c.googlePrice(f)
	case "sale_price":
		c.salePrice(e, f)
	}
}

func (c *checker) oneOf(f fact, allowed []string) {
	if !slices.Contains(allowed, f.text) {
		c.find(f.at, f.name, f.name+" is one of "+strings.Join(allowed, ", ")+", not "+quoted(f.text))
	}
}

// money reads "1990.00 RUB".
func money(s string) (amountOf float64, currency string, ok bool) {
	number, currency, found := strings.Cut(s, " ")
	amountOf, ok = amount(number)
	return amountOf, currency, ok && found && len(currency) == 3 && strings.ToUpper(currency) == currency && alphanumeric(currency)
}

func (c *checker) googlePrice(f fact) {
	price, currency, ok := money(f.text)
	switch {
	case !ok:
		c.find(f.at, "price", f.name+" is written as 1990.00 RUB, not "+quoted(f.text))
	case price == 0:
		c.find(f.at, "price", "a price is 0")
	case c.rules.Shop.Currency != "" && currency != c.rules.Shop.Currency:
		c.find(f.at, "currency", "the shop sells in "+c.rules.Shop.Currency+", not in "+currency)
	}
}

func (c *checker) salePrice(e *entry, f fact) {
	c.googlePrice(f)
	full, _ := e.fact("price")
	price, _, ok := money(full.text)
	sale, _, fine := money(f.text)
	if ok && fine && sale >= price {
		c.find(f.at, "sale_price", "the sale price "+f.text+" is not below the price "+full.text)
	}
}

// identified checks that an item has a gtin, or a brand with an mpn, or an identifier_exists of
// no.
func (c *checker) identified(e *entry) {
	_, gtin := e.fact("gtin")
	_, brand := e.fact("brand")
	_, mpn := e.fact("mpn")
	if exists, ok := e.fact("identifier_exists"); gtin || brand && mpn || ok && (exists.text == "no" || exists.text == "false") {
		return
	}
	c.find(e.at, "identifier", "an item has no gtin, no brand with mpn, and no identifier_exists of no")
}
