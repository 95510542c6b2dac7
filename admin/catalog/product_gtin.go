package catalog

import "vitrine/internal/shop"

var errProductGTIN = shop.Refuse(shop.InvalidArgument, "PRODUCT_GTIN_INVALID").
	When("gtin is not 8, 12, 13 or 14 digits with a valid check digit")

// checkGTIN accepts a global trade item number or an empty text.
func checkGTIN(text string) error {
	if text == "" {
		return nil
	}
	if fault := shop.GTINFault(text); fault != "" {
		return errProductGTIN.With(fault)
	}
	return nil
}
