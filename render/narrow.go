package render

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Narrowing is the filters and order of a product list from the query of an address, in
// canonical form: names sorted, values sorted and unique, parameters without effect removed.
// Equivalent addresses therefore have equal Narrowings. The zero value is the whole list in
// its default order.
//
//	a12=red&a12=blue     products whose attribute 12 has one of these options
//
// whose number of attribute 7 is in the range
// in the shop's currency, also 14.50 or 14,50
//
//	max_price=20
//
// without sold-out products
// products whose price was reduced
//
//	sort=price           an order of Sorts
type Narrowing string

// Choices is a parsed Narrowing.
type Choices struct {
	Picks              []Pick // by attribute, ascending, each once
	MinPrice, MaxPrice string // decimal, empty: no bound
	InStock, Reduced   bool
	Sort               string // one of Sorts; empty: the default order
}

// Pick is the choice for one attribute: options by their values, or a range.
type Pick struct {
	Attribute int32
	Values    []string // sorted
	Min, Max  string   // decimal, empty: no bound
}

// Sorts are the orders of a list that a visitor may choose.
var Sorts = []string{"new", "price", "-price", "rating", "name"}

// Names of the query parameters of a list.
const (
	sortName, minPriceName, maxPriceName, inStockName, reducedName = "sort", "min_price", "max_price", "in_stock", "reduced"

	// SearchName holds the search words, at most MaxSearch characters.
	SearchName = "q"
	MaxSearch  = 100
)

// Limits of the query. Parameters beyond them are ignored, like unknown names.
const (
	maxPairs  = 200
	maxPicks  = 20 // attributes (document 1, 4.2)
	maxValues = 100
)

var (
	optionValue = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	decimal     = regexp.MustCompile(`^-?[0-9]{1,12}(\.[0-9]{1,4})?$`)
)

// ReadNarrowing parses a raw query. It never fails: invalid parameters are ignored.
func ReadNarrowing(query string) Narrowing {
	if query == "" {
		return ""
	}
	var c Choices
	values := 0
	for pair, rest := "", query; rest != "" && values < maxPairs; values++ {
		pair, rest, _ = strings.Cut(rest, "&")
		name, text, _ := strings.Cut(pair, "=")
		if text == "" || len(text) > 3*64 {
			continue
		}
		value, err := url.QueryUnescape(text)
		if err != nil {
			continue
		}
		c.read(name, value)
	}
	return c.Narrowing()
}

func (c *Choices) read(name, value string) {
	switch name {
	case sortName:
		if slices.Contains(Sorts, value) {
			c.Sort = value
		}
	case minPriceName:
		c.MinPrice = cmp.Or(canonicalPrice(value), c.MinPrice)
	case maxPriceName:
		c.MaxPrice = cmp.Or(canonicalPrice(value), c.MaxPrice)
	case inStockName:
		c.InStock = c.InStock || value == "1"
	case reducedName:
		c.Reduced = c.Reduced || value == "1"
	default:
		if name != "" && name[0] == 'a' {
			c.readPick(name[1:], value)
		}
	}
}

func (c *Choices) readPick(name, value string) {
	digits, bound, _ := strings.Cut(name, "_")
	id, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || id < 1 || digits != strconv.FormatInt(id, 10) {
		return
	}
	n := canonicalDecimal(value)
	if bound == "" && !optionValue.MatchString(value) || bound != "" && (n == "" || bound != "min" && bound != "max") {
		return
	}
	at, found := slices.BinarySearchFunc(c.Picks, int32(id), func(p Pick, id int32) int { return cmp.Compare(p.Attribute, id) })
	if !found {
		if len(c.Picks) == maxPicks {
			return
		}
		c.Picks = slices.Insert(c.Picks, at, Pick{Attribute: int32(id)})
	}
	switch p := &c.Picks[at]; bound {
	case "min":
		p.Min = n
	case "max":
		p.Max = n
	default:
		if i, has := slices.BinarySearch(p.Values, value); !has && len(p.Values) < maxValues {
			p.Values = slices.Insert(p.Values, i, value)
		}
	}
}

// canonicalDecimal returns a decimal in canonical form; empty: the text is not a decimal.
func canonicalDecimal(text string) string {
	text = strings.Replace(strings.TrimSpace(text), ",", ".", 1)
	if !decimal.MatchString(text) {
		return ""
	}
	negative := text[0] == '-'
	text = strings.TrimLeft(strings.TrimPrefix(text, "-"), "0")
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "" || text[0] == '.' {
		text = "0" + text
	}
	if negative && text != "0" {
		text = "-" + text
	}
	return text
}

// canonicalPrice is canonicalDecimal for a number that must not be negative.
func canonicalPrice(text string) string {
	if text = canonicalDecimal(text); strings.HasPrefix(text, "-") {
		return ""
	}
	return text
}

// Narrowing returns the choices in canonical form.
func (c Choices) Narrowing() Narrowing {
	var b strings.Builder
	add := func(name, value string) {
		if value == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(name + "=" + value) // no value contains a character that needs escaping
	}
	flag := map[bool]string{true: "1"}
	for _, p := range c.Picks {
		name := p.Name()
		for _, v := range p.Values {
			add(name, v)
		}
		add(name+"_min", p.Min)
		add(name+"_max", p.Max)
	}
	add(inStockName, flag[c.InStock])
	add(maxPriceName, c.MaxPrice)
	add(minPriceName, c.MinPrice)
	add(reducedName, flag[c.Reduced])
	add(sortName, c.Sort)
	return Narrowing(b.String())
}

// Choices parses the narrowing.
func (n Narrowing) Choices() (c Choices) {
	for pair := range strings.SplitSeq(string(n), "&") {
		name, value, _ := strings.Cut(pair, "=")
		c.read(name, value)
	}
	return c
}

// Name is the pick's parameter name in an address.
func (p Pick) Name() string { return "a" + strconv.Itoa(int(p.Attribute)) }

// Narrows reports whether the choices filter the list; the order does not count.
func (c Choices) Narrows() bool {
	return len(c.Picks) > 0 || c.MinPrice != "" || c.MaxPrice != "" || c.InStock || c.Reduced
}

// Shared reports whether other visitors are likely to request the same list: at most two
// option values. Typed bounds and larger combinations are too individual.
func (c Choices) Shared() bool {
	n := 0
	for _, p := range c.Picks {
		if n += len(p.Values); p.Min != "" || p.Max != "" {
			return false
		}
	}
	return n <= 2 && c.MinPrice == "" && c.MaxPrice == ""
}

// SearchOf reads the search words of a raw query and collapses their spaces; empty if they
// cannot be searched for.
func SearchOf(query string) string {
	text := ""
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(pair, "="); name == SearchName {
			text = value
			break
		}
	}
	words, err := url.QueryUnescape(text)
	if err != nil || !utf8.ValidString(words) || strings.ContainsFunc(words, control) {
		return ""
	}
	words = strings.Join(strings.Fields(words), " ")
	if utf8.RuneCountInString(words) > MaxSearch {
		return ""
	}
	return words
}

// control reports characters that no text contains: the database does not accept NUL.
func control(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f }

// units converts a decimal to the smallest unit of the shop's prices, rounding up or down.
func units(text string, digits int, up bool) int64 {
	whole, rest, _ := strings.Cut(text, ".")
	for len(rest) < digits {
		rest += "0"
	}
	n, err := strconv.ParseInt(whole+rest[:digits], 10, 64)
	if err != nil {
		return 0 // unreachable: it is a decimal of at most 16 digits
	}
	if up && strings.Trim(rest[digits:], "0") != "" {
		n++
	}
	return n
}

// Prices returns the bounds in the smallest unit of prices with the given number of decimals;
// nil: no bound.
func (c Choices) Prices(digits int) (low, high *int64) {
	if c.MinPrice != "" {
		n := units(c.MinPrice, digits, true)
		low = &n
	}
	if c.MaxPrice != "" {
		n := units(c.MaxPrice, digits, false)
		high = &n
	}
	return low, high
}
