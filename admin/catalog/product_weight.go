package catalog

import (
	"strconv"

	"vitrine/internal/shop"
)

var errProductWeight = shop.Refuse(shop.InvalidArgument, "PRODUCT_WEIGHT_INVALID").When("weight_g is not a whole number of grams from 0 to 10000000, or null")

const maxWeight = 10_000_000 // grams

// optionalWeight is a weight in a request that may be cleared: absent keeps it, null clears it.
type optionalWeight struct {
	Set   bool `json:"-"`
	Grams *int `json:"-"`
}

// UnmarshalJSON reads whole grams or null.
func (o *optionalWeight) UnmarshalJSON(b []byte) error {
	o.Set = true
	if string(b) == "null" {
		return nil
	}
	n, err := strconv.Atoi(string(b))
	if err != nil {
		return errProductWeight.With("must be a whole number of grams, or null")
	}
	o.Grams = &n
	return nil
}

// apply sets the field if the weight was sent.
func (o optionalWeight) apply(field **int) error {
	if !o.Set {
		return nil
	}
	if n := o.Grams; n != nil && (*n < 0 || *n > maxWeight) {
		return errProductWeight.With("must be 0 to 10000000")
	}
	*field = o.Grams
	return nil
}
