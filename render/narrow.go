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

// Narrowing is what the query of an address asks of a list of products, in the one
// spelling that such a wish has: names in order, values in order and once, nothing that
// means nothing. So it is the same for addresses that mean the same. The zero value is
// the whole list in its usual order.
//
//	a12=red&a12=blue     products whose attribute 12 has one of these options
//	a7_min=2&a7_max=5.5  whose number of attribute 7 lies between
//	min_price=10         in the money of the shop, also 14.50 or 14,50
//	max_price=20
//	in_stock=1           without what is sold out
//	reduced=1            what costs less than before
//	sort=price           an order of Sorts
type Narrowing string

// Choices is a Narrowing taken apart.
type Choices struct {
	Picks              []Pick // by attribute, ascending, each once
	MinPrice, MaxPrice string // decimal, empty: no bound
	InStock, Reduced   bool
	Sort               string // of Sorts; empty: the usual order
}

// Pick is what is chosen of one attribute: options by their values, or a range.
type Pick struct {
	Attribute int32
	Values    []string // sorted
	Min, Max  string   // decimal, empty: no bound
}

// Sorts are the orders of a list that a visitor may choose.
var Sorts = []string{"new", "price", "-price", "rating", "name"}

// Names of what an address asks of a list.
const (
	sortName, minPriceName, maxPriceName, inStockName, reducedName = "sort", "min_price", "max_price", "in_stock", "reduced"

	// SearchName is the words that are looked for, in characters at most MaxSearch.
	SearchName = "q"
	MaxSearch  = 100
)

// How much of an address is listened to: what comes after is passed over, as unknown
// names are.
const (
	maxPairs  = 200
	maxPicks  = 20 // attributes (document 1, 4.2)
	maxValues = 100
)

var (
	optionValue = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	decimal     = regexp.MustCompile(`^-?[0-9]{1,12}(\.[0-9]{1,4})?$`)
)

// ReadNarrowing reads a raw query. It never fails: what cannot be meant is passed over.
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
		c.MinPrice = orElse(spelledPrice(value), c.MinPrice)
	case maxPriceName:
		c.MaxPrice = orElse(spelledPrice(value), c.MaxPrice)
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
	n := spelled(value)
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

// spelled brings a decimal to its one spelling; empty: it is none.
func spelled(text string) string {
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

// spelledPrice is a number that is not below zero.
func spelledPrice(text string) string {
	if text = spelled(text); strings.HasPrefix(text, "-") {
		return ""
	}
	return text
}

// Narrowing is the choices in their one spelling.
func (c Choices) Narrowing() Narrowing {
	var b strings.Builder
	add := func(name, value string) {
		if value == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('&')
		}
		b.WriteString(name + "=" + value) // letters of addresses, all of them
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

// Choices takes the narrowing apart.
func (n Narrowing) Choices() (c Choices) {
	for pair := range strings.SplitSeq(string(n), "&") {
		name, value, _ := strings.Cut(pair, "=")
		c.read(name, value)
	}
	return c
}

// Name is what the pick is called in an address.
func (p Pick) Name() string { return "a" + strconv.Itoa(int(p.Attribute)) }

// Narrows reports whether anything is left out, whatever the order.
func (c Choices) Narrows() bool {
	return len(c.Picks) > 0 || c.MinPrice != "" || c.MaxPrice != "" || c.InStock || c.Reduced
}

// Shared reports whether others may want the same: one or two things out of the lists
// that the shop offers. What is typed, or put together of many, is one visitor's own.
func (c Choices) Shared() bool {
	n := 0
	for _, p := range c.Picks {
		if n += len(p.Values); p.Min != "" || p.Max != "" {
			return false
		}
	}
	return n <= 2 && c.MinPrice == "" && c.MaxPrice == ""
}

// SearchOf reads the words that a raw query looks for, spaces joined; empty where they
// cannot be looked for.
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

// control is what no text holds: the database takes no NUL.
func control(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f }

// units is a decimal in the smallest unit of the shop's prices, rounded up or down.
func units(text string, digits int, up bool) int64 {
	whole, rest, _ := strings.Cut(text, ".")
	for len(rest) < digits {
		rest += "0"
	}
	n, err := strconv.ParseInt(whole+rest[:digits], 10, 64)
	if err != nil {
		return 0 // not reached: it is a decimal of 16 digits at most
	}
	if up && strings.Trim(rest[digits:], "0") != "" {
		n++
	}
	return n
}

// Prices are the bounds in the smallest unit of prices with so many digits; nil: none.
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
