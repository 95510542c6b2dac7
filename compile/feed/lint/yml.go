package lint

import (
	"strings"
	"time"
)

// Limits of Yandex's format.
const (
	ymlID   = 20  // Latin letters and digits
	ymlName = 150 // characters
)

// ymlCurrencies are the currencies that Yandex accepts.
const ymlCurrencies = " RUR RUB USD EUR UAH KZT BYN "

func (c *checker) ymlRoot(root tag) {
	date, ok := value(root.attributes(), "date")
	for _, layout := range []string{"2006-01-02 15:04", "2006-01-02 15:04:05", time.RFC3339} {
		if _, err := time.Parse(layout, date); err == nil {
			return
		}
	}
	if !ok {
		c.find(root.at, "date", "yml_catalog has no date")
		return
	}
	c.find(root.at, "date", "the date of yml_catalog is not written as 2006-01-02 15:04: "+quoted(date))
}

func (c *checker) category(t tag, id string, attrs []attr) {
	switch {
	case !digits(id) || strings.Trim(id, "0") == "":
		c.find(t.at, "category_id", "the id of a category is not a number above 0: "+quoted(id))
	case c.summary.categories[id]:
		c.find(t.at, "category_duplicate", "two categories have the id "+id)
	}
	c.summary.categories[id] = true
	if parent, ok := value(attrs, "parentId"); ok {
		c.summary.parents = append(c.summary.parents, fact{id, parent, t.at})
	}
	if t.empty || content(c.out[t.after:c.closing(t)]) == "" {
		c.find(t.at, "category_name", "the category "+quoted(id)+" has no name")
	}
}

func (c *checker) ymlFeed() {
	for _, p := range c.summary.parents {
		if !c.summary.categories[p.text] || p.text == p.name {
			c.find(p.at, "category_parent", "the parent "+quoted(p.text)+" of category "+quoted(p.name)+" is not among the categories")
		}
	}
	for _, name := range []string{"name", "company", "url", "currencies", "categories", "offers"} {
		if !c.summary.head[name] {
			c.find(0, "missing", "shop has no "+name)
		}
	}
	if c.report.Offers == 0 {
		c.find(0, "empty", "the feed has no offer")
	}
}

// offer checks one offer.
func (c *checker) offer(e *entry) {
	id, ok := value(e.attrs, "id")
	e.id = id
	switch {
	case !ok || id == "":
		c.find(e.at, "id", "an offer has no id")
	case len(id) > ymlID || !alphanumeric(id):
		c.find(e.at, "id", "an offer's id is not 1 to 20 Latin letters and digits: "+quoted(id))
	default:
		c.unique(e.at, id)
	}
	if available, ok := value(e.attrs, "available"); ok && available != "true" && available != "false" {
		c.find(e.at, "available", "available is true or false, not "+quoted(available))
	}
	c.ymlPrice(e)
	c.ymlName(e)
	if f, ok := e.fact("url"); !ok {
		c.find(e.at, "url", "an offer has no url")
	} else {
		c.absolute(f, "url", true)
	}
	if f, ok := e.fact("categoryId"); !ok || f.text == "" {
		c.find(f.at, "category", "an offer has no categoryId")
	} else if !c.summary.categories[f.text] {
		c.find(f.at, "category", "the category "+quoted(f.text)+" is not among the categories")
	}
	c.ymlPictures(e)
	if f, ok := e.fact("count"); ok && !digits(f.text) {
		c.find(f.at, "count", "a count is a whole number, not "+quoted(f.text))
	}
	if f, ok := e.fact("description"); ok {
		c.text(f, 0)
	}
}

func alphanumeric(s string) bool {
	for i := range len(s) {
		if b := s[i]; (b < '0' || b > '9') && (b|0x20 < 'a' || b|0x20 > 'z') {
			return false
		}
	}
	return true
}

func (c *checker) ymlPrice(e *entry) {
	f, ok := e.fact("price")
	price, number := amount(f.text)
	switch {
	case !ok:
		c.find(e.at, "price", "an offer has no price")
	case !number:
		c.find(f.at, "price", "a price is written as 1990 or 1990.50, not "+quoted(f.text))
	case price == 0:
		c.find(f.at, "price", "a price is 0")
	}
	if old, ok := e.fact("oldprice"); ok {
		before, fine := amount(old.text)
		switch {
		case !fine:
			c.find(old.at, "oldprice", "an old price is written as 1990 or 1990.50, not "+quoted(old.text))
		case number && before <= price:
			c.find(old.at, "oldprice", "the old price "+old.text+" is not above the price "+f.text)
		}
	}
	currency, ok := e.fact("currencyId")
	switch {
	case !ok:
		c.find(e.at, "currency", "an offer has no currencyId")
	case !strings.Contains(ymlCurrencies, " "+currency.text+" "):
		c.find(currency.at, "currency", "Yandex does not accept prices in "+quoted(currency.text))
	case !c.summary.currencies[currency.text]:
		c.find(currency.at, "currency", "the currency "+quoted(currency.text)+" is not among the currencies")
	}
}

func (c *checker) ymlName(e *entry) {
	f, ok := e.fact("name")
	if !ok || f.text == "" {
		_, vendor := e.fact("vendor")
		if _, model := e.fact("model"); !vendor || !model {
			c.find(f.at, "name", "an offer has neither a name nor vendor and model")
		}
		return
	}
	c.text(f, ymlName)
	if allCapitals(f.text) {
		c.find(f.at, "name_capitals", "a name is all capitals: "+quoted(f.text))
	}
}

// param checks that a property of an offer has a name.
func (c *checker) param(t tag) {
	if name, _ := value(t.attributes(), "name"); name == "" {
		c.find(t.at, "param", "a param has no name")
	}
}

func (c *checker) ymlPictures(e *entry) {
	for _, f := range e.facts {
		if f.name != "picture" {
			continue
		}
		c.picture(f)
		if strings.HasSuffix(strings.ToLower(f.text), ".svg") {
			c.find(f.at, "picture_format", "pictures are JPEG, PNG, GIF or WebP, not SVG")
		}
	}
}
