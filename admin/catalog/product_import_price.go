package catalog

import (
	"strconv"
	"strings"

	"vitrine/internal/cells"
	"vitrine/internal/shop"
)

var errImportPrices = shop.Refuse(shop.InvalidArgument, "IMPORT_PRICES_INVALID").When("prices is not decimal or units")

// priceColumns are the columns that prices=decimal converts.
var priceColumns = []string{"price", "old_price"}

// convertPrices converts decimal prices to units if the caller requested it. A price with too many
// decimal digits for the shop is a fault of its line: prices are never rounded.
func convertPrices(lines []cells.Row, prices string, digits int) error {
	switch prices {
	case "", "units":
		return nil
	case "decimal":
	default:
		return errImportPrices.At("prices").With("must be decimal or units")
	}
	for i, l := range lines {
		for _, column := range priceColumns {
			cell := strings.TrimSpace(l.Cells[column])
			if cell == "" {
				continue
			}
			units, ok := unitsOf(cell, digits)
			if !ok && lines[i].Err == nil {
				lines[i].Err = errImportCell.With(column + ": expected a decimal price with at most " + strconv.Itoa(digits) + " decimal digits, such as 14.50")
			}
			l.Cells[column] = strconv.FormatInt(units, 10)
		}
	}
	return nil
}

// unitsOf converts 14.50 or 14,50 to units of a currency with this number of decimal digits.
// Spaces may separate thousands, and if both marks occur, the last one is the decimal point.
func unitsOf(cell string, digits int) (units int64, ok bool) {
	text := strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "'", "").Replace(cell)
	point := strings.LastIndexAny(text, ".,")
	whole, fraction := text, ""
	if point >= 0 {
		mark := text[point]
		if strings.IndexByte(text, mark) != point {
			return 0, false // 1,234,567 is ambiguous
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

// thousands reports whether marks separate a number into groups of three digits.
func thousands(whole string) bool {
	groups := strings.FieldsFunc(whole, func(r rune) bool { return r == '.' || r == ',' })
	for _, group := range groups[1:] {
		if len(group) != 3 {
			return false
		}
	}
	return len(groups) > 0 && len(groups[0]) <= 4 // including the sign
}
