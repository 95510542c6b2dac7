package shop

import (
	"encoding/json"
	"strings"
)

// Destination is where goods are delivered, as far as the price of delivery and the tax depend on
// it (CONTRACT-COMMERCE, "A merchant's day"). Its fields are normalized, so that two are equal if
// and only if they mean the same.
type Destination struct {
	Country  string // ISO 3166-1 alpha-2, or UnknownCountry; empty: not named
	Region   string // in lower case; in the US, Canada and Australia the part of ISO 3166-2 after the dash
	Postcode string // in upper case, without spaces
}

// UnknownCountry stands for what a buyer named as the country though it is no country code. ISO
// 3166-1 leaves this code to its users.
const UnknownCountry = "ZZ"

// NewDestination normalizes a destination as clients name it.
func NewDestination(country, region, postcode string) Destination {
	country = strings.ToUpper(strings.TrimSpace(country))
	if country != "" && !IsCountry(country) {
		country = UnknownCountry
	}
	return Destination{Country: country, Region: RegionKey(country, region), Postcode: PostcodeKey(postcode)}
}

// Or returns the destination in a country that counts if none is named.
func (d Destination) Or(country string) Destination {
	if d.Country == "" && country != "" {
		d.Country, d.Region = country, RegionKey(country, d.Region)
	}
	return d
}

// RegionKey returns the form in which regions of a country are compared.
func RegionKey(country, region string) string { return strings.ToLower(RegionName(country, region)) }

// RegionName returns a region as shops name it, without the code of its country: NY for US-NY.
func RegionName(country, region string) string {
	region = strings.Join(strings.Fields(region), " ")
	if prefix := country + "-"; country != "" && len(region) >= len(prefix) && strings.EqualFold(region[:len(prefix)], prefix) {
		return region[len(prefix):]
	}
	return region
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

// HasPlace reports whether an address names more than the persons at it.
func HasPlace(address []byte) bool {
	return HasAddress(address) || DestinationOf(address) != (Destination{})
}
