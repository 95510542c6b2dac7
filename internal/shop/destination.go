package shop

import (
	"encoding/json"
	"strings"
)

// Destination is where goods are delivered, as far as the price of delivery and the tax depend on
// it (CONTRACT-COMMERCE, "A merchant's day"). Its fields are normalized, so that two are equal if
// and only if they mean the same.
type Destination struct {
	Country  string // ISO 3166-1 alpha-2; empty: not named, or no country code
	Region   string // in lower case; in the US, Canada and Australia the part of ISO 3166-2 after the dash
	Postcode string // in upper case, without spaces
}

// NewDestination normalizes a destination as clients name it.
func NewDestination(country, region, postcode string) Destination {
	country = strings.ToUpper(strings.TrimSpace(country))
	if !IsCountry(country) {
		country = ""
	}
	return Destination{Country: country, Region: RegionKey(country, region), Postcode: PostcodeKey(postcode)}
}

// RegionKey returns the form in which regions of a country are compared.
func RegionKey(country, region string) string {
	region = strings.ToLower(strings.Join(strings.Fields(region), " "))
	if country == "" {
		return region
	}
	return strings.TrimPrefix(region, strings.ToLower(country)+"-")
}

// PostcodeKey returns the form in which postcodes and their prefixes are compared.
func PostcodeKey(postcode string) string {
	return strings.ToUpper(strings.Join(strings.Fields(postcode), ""))
}

// DestinationOf returns the destination that an address names in its fields country, region and
// postcode. An address that is a text names none.
func DestinationOf(address []byte) Destination {
	var a map[string]any
	if json.Unmarshal(address, &a) != nil {
		return Destination{}
	}
	field := func(name string) string { text, _ := a[name].(string); return text }
	return NewDestination(field("country"), field("region"), field("postcode"))
}
