package feed

import (
	"fmt"
	"math"
	"strconv"

	"vitrine/internal/shop"
)

// kind is the type of a value. The set is closed, so that templates run without
// reflection.
type kind uint8

const (
	kindNone  kind = iota // a missing value: nil, or the dot of a template called without one
	kindBool              // n is 0 or 1
	kindInt               // n
	kindByte              // n, unsigned: a byte of a text, from index
	kindFloat             // n is math.Float64bits; s is its text, empty: as package fmt prints it
	kindText              // s
	kindList              // ref is a list
	kindRoot              // the dot at the top
	kindShop
	kindItem  // ref is an *Item, n its index in the catalogue
	kindItems // ref is a selection
	kindCategory
	kindCategories
	kindRecord  // ref is a Record
	kindRecords // ref is a []Record
	kindOffers  // ref is an []Item, n the index of their product
)

var kindNames = [...]string{
	kindNone: "a missing value", kindBool: "a boolean", kindInt: "a number", kindByte: "a byte",
	kindFloat: "a fraction", kindText: "a text", kindList: "a list of texts", kindRoot: "the root",
	kindShop: "the shop", kindItem: "a product", kindItems: "a list of products",
	kindCategory: "a category", kindCategories: "a list of categories",
	kindRecord: "a record", kindRecords: "a list of records", kindOffers: "a list of offers",
}

// String returns the name for messages.
func (k kind) String() string { return kindNames[k] }

type value struct {
	kind kind
	n    int64
	s    string
	ref  any
}

type list []string

// selection is a list of products, by their indexes in the catalogue.
type selection struct {
	of      *Catalogue
	indexes []int32
}

func (s selection) at(i int) value {
	index := s.indexes[i]
	return value{kind: kindItem, n: int64(index), ref: &s.of.contents.Items[index]}
}

func number(n int64) value  { return value{kind: kindInt, n: n} }
func text(s string) value   { return value{kind: kindText, s: s} }
func float(f float64) value { return value{kind: kindFloat, n: int64(math.Float64bits(f))} }

// price returns an amount of which the last digits are decimals. It compares as a
// fraction and is printed with all decimals.
func price(amount int64, digits int) value {
	v := float(float64(amount) / math.Pow10(digits))
	v.s = shop.Amount(amount, digits)
	return v
}

// fraction returns the number of a kindFloat.
func (v *value) fraction() float64 { return math.Float64frombits(uint64(v.n)) }

func boolean(b bool) value {
	if b {
		return value{kind: kindBool, n: 1}
	}
	return value{kind: kindBool}
}

// length returns the number of elements or bytes. ok is false for values without a
// length.
func (v *value) length() (n int, ok bool) {
	switch v.kind {
	case kindText:
		return len(v.s), true
	case kindList:
		return len(v.ref.(list)), true
	case kindItems:
		return len(v.ref.(selection).indexes), true
	case kindCategories:
		return len(v.ref.([]Category)), true
	case kindRecords:
		return len(v.ref.([]Record)), true
	case kindOffers:
		return len(v.ref.([]Item)), true
	}
	return 0, false
}

// at returns element i of a list or byte i of a text.
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

// truth reports whether if, with, and, or, not take a value for true.
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

// printable reports whether print, printf and actions accept the value. They refuse
// products and other structures, of which authors mean the fields.
func (v *value) printable() bool { return v.kind <= kindList }

// native returns the value as an argument for package fmt.
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

// appendNumber appends a number or boolean as package fmt prints it.
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
