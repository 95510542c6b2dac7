package feed

import (
	"fmt"
	"math"
	"strconv"

	"vitrine/internal/shop"
)

// kind is the type of a value. The language knows no other types, so that a
// template can be run without reflection.
type kind uint8

const (
	kindNone  kind = iota // no value: nil, or the dot of a template called without one
	kindBool              // n is 0 or 1
	kindInt               // n
	kindByte              // n, unsigned: what index takes out of a text
	kindFloat             // n is math.Float64bits; s how it is printed, empty: as package fmt does
	kindText              // s
	kindList              // ref is a list
	kindRoot              // what . is at the top
	kindShop
	kindItem  // ref is an *Item, n its place in the catalogue
	kindItems // ref is a selection
	kindCategory
	kindCategories
	kindRecord  // ref is a Record
	kindRecords // ref is a []Record
	kindOffers  // ref is an []Item, n the place of the product that they are of
)

var kindNames = [...]string{
	kindNone: "nothing", kindBool: "a truth value", kindInt: "a number", kindByte: "a byte",
	kindFloat: "a fraction", kindText: "a text", kindList: "a list of texts", kindRoot: "the root",
	kindShop: "the shop", kindItem: "a product", kindItems: "a list of products",
	kindCategory: "a category", kindCategories: "a list of categories",
	kindRecord: "a record", kindRecords: "a list of records", kindOffers: "a list of offers",
}

// String is the name for messages.
func (k kind) String() string { return kindNames[k] }

type value struct {
	kind kind
	n    int64
	s    string
	ref  any
}

type list []string

// selection is the products of one range, by their places in the catalogue.
type selection struct {
	of     *Catalogue
	places []int32
}

func (s selection) at(i int) value {
	place := s.places[i]
	return value{kind: kindItem, n: int64(place), ref: &s.of.contents.Items[place]}
}

func number(n int64) value  { return value{kind: kindInt, n: n} }
func text(s string) value   { return value{kind: kindText, s: s} }
func float(f float64) value { return value{kind: kindFloat, n: int64(math.Float64bits(f))} }

// price is an amount whose last digits stand behind a point: it compares as a
// fraction and is printed with all of them.
func price(amount int64, digits int) value {
	v := float(float64(amount) / math.Pow10(digits))
	v.s = shop.Amount(amount, digits)
	return v
}

// fraction is the value of a kindFloat.
func (v *value) fraction() float64 { return math.Float64frombits(uint64(v.n)) }

func boolean(b bool) value {
	if b {
		return value{kind: kindBool, n: 1}
	}
	return value{kind: kindBool}
}

// length is the number of elements or bytes; ok is false for what has none.
func (v *value) length() (n int, ok bool) {
	switch v.kind {
	case kindText:
		return len(v.s), true
	case kindList:
		return len(v.ref.(list)), true
	case kindItems:
		return len(v.ref.(selection).places), true
	case kindCategories:
		return len(v.ref.([]Category)), true
	case kindRecords:
		return len(v.ref.([]Record)), true
	case kindOffers:
		return len(v.ref.([]Item)), true
	}
	return 0, false
}

// at is the element i of a list, or the byte i of a text.
func (v *value) at(i int) value {
	switch v.kind {
	case kindText:
		return value{kind: kindByte, n: int64(v.s[i])}
	case kindList:
		return text(v.ref.(list)[i])
	case kindItems:
		return v.ref.(selection).at(i)
	case kindRecords:
		return value{kind: kindRecord, ref: v.ref.([]Record)[i]}
	case kindOffers:
		return value{kind: kindItem, n: v.n, ref: &v.ref.([]Item)[i]}
	default:
		return value{kind: kindCategory, ref: &v.ref.([]Category)[i]}
	}
}

// truth is what if, with, and, or, not make of a value.
func (v *value) truth() bool {
	switch v.kind {
	case kindNone:
		return false
	case kindBool, kindInt, kindByte:
		return v.n != 0
	case kindFloat:
		return v.fraction() != 0
	case kindRoot, kindShop, kindItem, kindCategory, kindRecord:
		return true
	}
	n, _ := v.length()
	return n > 0
}

// plain tells whether print, printf and an action may show the value. Whole
// products and the like are refused: their fields are meant.
func (v *value) plain() bool { return v.kind <= kindList }

// native is the value as package fmt takes it.
func (v *value) native() any {
	switch v.kind {
	case kindNone:
		return nil
	case kindBool:
		return v.n != 0
	case kindInt:
		return int(v.n)
	case kindByte:
		return byte(v.n)
	case kindFloat:
		return v.fraction()
	case kindText:
		return v.s
	}
	return []string(v.ref.(list))
}

// appendNumber writes numbers and truth values as package fmt prints them.
func (v *value) appendNumber(dst []byte) []byte {
	switch v.kind {
	case kindBool:
		return strconv.AppendBool(dst, v.n != 0)
	case kindFloat:
		if v.s != "" {
			return append(dst, v.s...)
		}
		return fmt.Append(dst, v.fraction())
	}
	return strconv.AppendInt(dst, v.n, 10)
}
