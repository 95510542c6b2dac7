package catalog

import "vitrine/internal/shop"

var errProductGTIN = shop.Refuse(shop.InvalidArgument, "PRODUCT_GTIN_INVALID").
	When("gtin is not 8, 12, 13 or 14 digits with a valid check digit")

// checkGTIN accepts a global trade item number as printed below a bar code (GTIN-8, UPC-A,
// EAN-13, GTIN-14), or an empty text.
func checkGTIN(text string) error {
	switch len(text) {
	case 0:
		return nil
	case 8, 12, 13, 14:
	default:
		return errProductGTIN.With("must have 8, 12, 13 or 14 digits")
	}
	sum := 0
	for i := range len(text) {
		digit := text[i] - '0'
		if digit > 9 {
			return errProductGTIN.With("must consist of digits")
		}
		if (len(text)-i)%2 == 0 { // every second digit counts three times; the last one counts once
			digit *= 3
		}
		sum += int(digit)
	}
	if sum%10 != 0 {
		return errProductGTIN.With("the check digit is wrong")
	}
	return nil
}
