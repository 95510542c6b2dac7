package api

import (
	companydb "vitrine/internal/store/company"
)

// URLs builds the addresses in responses. It is the only place where packages learn the addresses
// of the admin API and of the storefronts.
type URLs struct {
	Admin      string                                    // no trailing slash
	Storefront func(c companydb.Company) (origin string) // scheme://host[:port]
}
