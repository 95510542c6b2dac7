package ucp

import (
	"slices"
)

// Version is the release of the protocol.
const Version = "2026-04-08"

// spec is where the protocol is published.
const spec = "https://ucp.dev/" + Version + "/"

// Names of capabilities.
const (
	catalogSearch = "dev.ucp.shopping.catalog.search"
	catalogLookup = "dev.ucp.shopping.catalog.lookup"
	cart          = "dev.ucp.shopping.cart"
	checkout      = "dev.ucp.shopping.checkout"
	order         = "dev.ucp.shopping.order"
	discount      = "dev.ucp.shopping.discount"
	fulfillment   = "dev.ucp.shopping.fulfillment"
	buyerConsent  = "dev.ucp.shopping.buyer_consent"
	linking       = "dev.ucp.common.identity_linking"
)

const shopping = "dev.ucp.shopping" // the service

// capability is one that shops have.
type capability struct {
	name         string
	spec, schema string   // below the address of the protocol
	extends      []string // an extension applies where the platform has one of these
	config       any
}

// catalogOnly is how many of the first capabilities are about the catalogue.
const catalogOnly = 2

// capabilities are in the order of the profile, those of the catalogue first.
var capabilities = []capability{
	{name: catalogSearch, spec: "specification/catalog/search", schema: "schemas/shopping/catalog_search.json"},
	{name: catalogLookup, spec: "specification/catalog/lookup", schema: "schemas/shopping/catalog_lookup.json"},
	{name: cart, spec: "specification/cart", schema: "schemas/shopping/cart.json"},
	{name: checkout, spec: "specification/checkout", schema: "schemas/shopping/checkout.json"},
	{name: discount, spec: "specification/discount", schema: "schemas/shopping/discount.json", extends: []string{cart, checkout}},
	{name: fulfillment, spec: "specification/fulfillment", schema: "schemas/shopping/fulfillment.json", extends: []string{checkout}, config: map[string]any{
		"allows_multi_destination":   map[string]bool{shipping: false, pickup: false},
		"allows_method_combinations": [][]string{{shipping}, {pickup}},
	}},
	{name: buyerConsent, spec: "specification/buyer-consent", schema: "schemas/shopping/buyer_consent.json", extends: []string{checkout}},
	{name: order, spec: "specification/order", schema: "schemas/shopping/order.json"},
	// A scope listed here would close its operations to guests.
	{name: linking, spec: "specification/identity-linking", schema: "schemas/common/identity_linking.json", config: map[string]any{"scopes": map[string]any{}}},
}

// Entry is a capability in a profile or an answer.
type Entry struct {
	Version string `json:"version"`
	Spec    string `json:"spec,omitempty"`
	Schema  string `json:"schema,omitempty"`
	Extends any    `json:"extends,omitempty"` // a name, or a list of them
	Config  any    `json:"config,omitempty"`
}

// entry is how a capability stands in the profile of a shop.
func (c capability) entry() Entry {
	e := Entry{Version: Version, Spec: spec + c.spec, Schema: spec + c.schema, Config: c.config}
	switch len(c.extends) {
	case 0:
	case 1:
		e.Extends = c.extends[0]
	default:
		e.Extends = c.extends
	}
	return e
}

// shared returns the capabilities of a shop that a platform has in the same version, without
// extensions of what it does not have.
func shared(offered []capability, theirs map[string][]string) (list []capability) {
	for _, c := range offered {
		if slices.Contains(theirs[c.name], Version) {
			list = append(list, c)
		}
	}
	for {
		before := len(list)
		list = slices.DeleteFunc(list, func(c capability) bool {
			return len(c.extends) > 0 && !slices.ContainsFunc(c.extends, func(parent string) bool { return has(list, parent) })
		})
		if len(list) == before {
			return list
		}
	}
}

func has(list []capability, name string) bool {
	return slices.ContainsFunc(list, func(c capability) bool { return c.name == name })
}

// within returns the capability of an answer and those of its extensions that were negotiated.
func within(list []capability, name string) map[string][]Entry {
	answered := map[string][]Entry{}
	for _, c := range list {
		if c.name == name || slices.Contains(c.extends, name) {
			answered[c.name] = []Entry{{Version: Version}}
		}
	}
	return answered
}
