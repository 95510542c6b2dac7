package catalog

import (
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

var errImportPrices = shop.Refuse(shop.InvalidArgument, "IMPORT_PRICES_INVALID").When("prices is neither decimal nor units")

// priceColumns are those that prices=decimal reads.
var priceColumns = []string{"price", "old_price"}

// decimal makes units of prices that are written with a decimal point, where the caller
// said so. A price that the shop has no units for is a fault of its line: it is never
// rounded.
func (t *importText) decimal(prices string, digits int) error {
	switch prices {
	case "", "units":
		return nil
	case "decimal":
	default:
		return errImportPrices.At("prices").With("decimal or units")
	}
	for i := range t.lines {
		l := &t.lines[i]
		for _, column := range priceColumns {
			cell := strings.TrimSpace(l.cells[column])
			if cell == "" {
				continue
			}
			units, ok := unitsOf(cell, digits)
			if !ok && l.fault == nil {
				l.fault = errImportCell.With(column + ": a decimal price of at most " + strconv.Itoa(digits) + " digits behind the point, as 14.50")
			}
			l.cells[column] = strconv.FormatInt(units, 10)
		}
	}
	return nil
}

// unitsOf reads 14.50 or 14,50 as units of a money with so many digits behind its point.
// Spaces may part thousands, and where both marks stand there the last is the point.
func unitsOf(cell string, digits int) (units int64, ok bool) {
	text := strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "").Replace(cell)
	point := strings.LastIndexAny(text, ".,")
	whole, fraction := text, ""
	if point >= 0 {
		mark := text[point]
		if strings.IndexByte(text, mark) != point {
			return 0, false // 1,234,567 has no point, or two
		}
		whole, fraction = text[:point], text[point+1:]
		if strings.ContainsAny(whole, ".,") && !thousands(whole) {
			return 0, false
		}
		if whole = strings.NewReplacer(".", "", ",", "").Replace(whole); whole == "" && fraction != "" {
			whole = "0" // .99
		}
	}
	if len(fraction) > digits {
		if strings.Trim(fraction[digits:], "0") != "" {
			return 0, false
		}
		fraction = fraction[:digits]
	}
	fraction += strings.Repeat("0", digits-len(fraction))
	unsigned := strings.TrimPrefix(whole, "-")
	if unsigned == "" || strings.Trim(unsigned+fraction, "0123456789") != "" {
		return 0, false
	}
	units, err := strconv.ParseInt(whole+fraction, 10, 64)
	return units, err == nil
}

// thousands reports whether marks part a number into groups of three digits.
func thousands(whole string) bool {
	groups := strings.FieldsFunc(whole, func(r rune) bool { return r == '.' || r == ',' })
	for _, group := range groups[1:] {
		if len(group) != 3 {
			return false
		}
	}
	return len(groups) > 0 && len(groups[0]) <= 4 // with its sign
}
