package feed

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/compile/richtext"
	"vitrine/internal/shop"
)

// products implements `products "category=a,b" "limit=100"`, which range goes over.
func (r *run) products(line int, args []value) value {
	options := make([]string, len(args))
	for i := range args {
		options[i] = args[i].s
	}
	slices.Sort(options)
	return value{kind: kindItems, ref: r.selectProducts(line, options)}
}

func (r *run) categories(int, []value) value {
	return value{kind: kindCategories, ref: r.catalogue.contents.Categories}
}

// pictures implements `pictures . 5 "gallery"`: at most 5 addresses of the product's
// pictures, or of its linked gallery of that name. Number and name are optional.
func (r *run) pictures(line int, args []value) value {
	item, ok := args[0].ref.(*Item)
	if !ok || args[0].kind != kindItem {
		r.fail(line, "pictures needs a product, not %s", args[0].kind)
	}
	found := item.Pictures
	rest := args[1:]
	most := MaxProducts
	if len(rest) > 0 && rest[0].kind == kindInt {
		if rest[0].n <= 0 {
			r.fail(line, "pictures needs a number above 0")
		}
		most = int(min(rest[0].n, MaxProducts))
		rest = rest[1:]
	}
	if len(rest) > 0 {
		if rest[0].kind != kindText || len(rest) > 1 {
			r.fail(line, `pictures is written as: pictures . 5 "gallery name"`)
		}
		found = item.gallery(rest[0].s)
	}
	return value{kind: kindList, ref: list(found[:min(most, len(found))])}
}

// offers implements `offers .`: the variants of a product in their order, each with
// the fields of a product, or the product itself when it has no variants.
func (r *run) offers(line int, args []value) value {
	item, ok := args[0].ref.(*Item)
	if !ok || args[0].kind != kindItem {
		r.fail(line, "offers needs a product, not %s", args[0].kind)
	}
	sold := item.Variants
	if len(sold) == 0 {
		sold = []Item{*item}
	}
	return value{kind: kindOffers, n: args[0].n, ref: sold}
}

// gallery returns the pictures of the first linked gallery of this name.
func (p *Item) gallery(name string) []string {
	for _, g := range p.Galleries {
		if g.Name == name {
			return g.Pictures
		}
	}
	return nil
}

// maxLayout is the length of the longest layout of now in bytes.
const maxLayout = 256

// now implements `now "2006-01-02 15:04"`: the time of the render in the shop's
// timezone, in a layout of Go, by default RFC 3339.
func (r *run) now(line int, args []value) value {
	layout := time.RFC3339
	if len(args) > 0 {
		layout = args[0].s
	}
	if len(layout) > maxLayout {
		r.fail(line, "a layout of now is longer than %d bytes", maxLayout)
	}
	return text(r.options.Now.In(shop.Clock(r.catalogue.contents.Timezone)).Format(layout))
}

// minor implements `minor .Price .Currency`: a price in minor units of its currency.
func (r *run) minor(line int, args []value) value {
	amount, currency := args[0], args[1]
	if currency.kind != kindText {
		r.fail(line, "minor needs a currency, not %s", currency.kind)
	}
	switch {
	case amount.kind == kindInt:
		return number(shop.MinorUnits(amount.n, currency.s, 0))
	case amount.kind == kindFloat && amount.s != "": // a price with decimals
		whole, decimals, _ := strings.Cut(amount.s, ".")
		units, err := strconv.ParseInt(whole+decimals, 10, 64)
		if err == nil {
			return number(shop.MinorUnits(units, currency.s, len(decimals)))
		}
	}
	r.fail(line, "minor needs a price, not %s", amount.kind)
	return value{}
}

// plain implements `plain .Description`: the words of an HTML text.
func (r *run) plain(line int, args []value) value {
	r.build(line, len(args[0].s))
	return text(richtext.Plain(args[0].s))
}

func linkFile(l *Links) func(int64) (string, bool)     { return l.File }
func linkCategory(l *Links) func(int64) (string, bool) { return l.Category }
func linkProduct(l *Links) func(int64) (string, bool)  { return l.Product }

// link returns a function that resolves an id to an address. An id that does not
// exist gives an empty text, which `with` can test, and a warning: one deleted page
// must not fail the whole feed.
func link(noun string, of func(*Links) func(int64) (string, bool), absolute bool) func(*run, int, []value) value {
	return func(r *run, line int, args []value) value {
		id, ok := idOf(&args[0])
		if !ok {
			r.fail(line, "%s is not an id of a %s", args[0].kind, noun)
		}
		if find := of(&r.catalogue.contents.Links); find != nil {
			if path, ok := find(id); ok {
				if absolute {
					path = r.catalogue.contents.Shop.URL + path
				}
				return text(path)
			}
		}
		r.warn(line, CodeDeadLink, "there is no "+noun+" "+strconv.FormatInt(id, 10))
		return text("")
	}
}

// idOf reads an id from a number or a text of digits.
func idOf(v *value) (int64, bool) {
	switch v.kind {
	case kindInt:
		return v.n, true
	case kindText:
		id, err := strconv.ParseInt(v.s, 10, 64)
		return id, err == nil
	}
	return 0, false
}

// CodeDeadLink is the code of the warning of file_url and similar functions.
const CodeDeadLink = "link.missing"

// CodeProductsCut is the code of the warning of a selection with more than MaxProducts products.
const CodeProductsCut = "products.cut"

const maxWarnings = 100

func (r *run) warn(line int, code, message string) {
	if len(r.result.Warnings) < maxWarnings {
		r.result.Warnings = append(r.result.Warnings, Problem{Line: line, Message: message, Code: code})
	}
}
