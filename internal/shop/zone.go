package shop

import "strings"

// Zone is a guarded zone: a part of the storefront, by the first segment of its
// paths, where visitors pay or are signed in. No script of an author runs there,
// nothing of it is cached, and no page or rule of the shop takes its place
// (document 3, 4.6.6 and 7).
type Zone string

const (
	ZoneCart      Zone = "cart"
	ZoneCheckout  Zone = "checkout"
	ZoneAccount   Zone = "account"
	ZoneWishlist  Zone = "wishlist"
	ZoneOrders    Zone = "orders"
	ZoneDeals     Zone = "deals"
	ZoneDashboard Zone = "dashboard"
)

// Zones are all of them. The storefront's script lists them once more
// (render/assets/script/link.js), and a test compares.
var Zones = [...]Zone{ZoneCart, ZoneCheckout, ZoneAccount, ZoneWishlist, ZoneOrders, ZoneDeals, ZoneDashboard}

// ZoneNamed finds the zone of a first segment, in any ASCII case.
func ZoneNamed(segment string) (Zone, bool) {
	if len(segment) < len(ZoneCart) || len(segment) > len(ZoneDashboard) {
		return "", false // as most segments are: every visit asks
	}
	for _, z := range &Zones {
		// What folds to ASCII from elsewhere, such as the Kelvin sign, is longer.
		if len(segment) == len(z) && segment[0]|0x20 == z[0] && strings.EqualFold(segment, string(z)) {
			return z, true
		}
	}
	return "", false
}

// ZoneOf finds the zone that a decoded path stands in: by its first segment, as
// a whole. below is what follows it, without slashes around.
func ZoneOf(path string) (zone Zone, below string, ok bool) {
	first, rest, _ := strings.Cut(strings.TrimLeft(path, "/"), "/")
	zone, ok = ZoneNamed(first)
	return zone, strings.Trim(rest, "/"), ok
}
