package api

import "vitrine/internal/store"

// URLs builds the addresses that answers name; the slices know only through it
// where the admin API and the storefronts stand.
type URLs struct {
	Admin      string                                // no trailing slash
	Storefront func(c store.Company) (origin string) // scheme://host[:port]
}
