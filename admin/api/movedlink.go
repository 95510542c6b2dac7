package api

import (
	"context"
	"fmt"
	"log/slog"

	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// LinkMAC signs a link of a shop; of is what it is about, with the id of the shop.
func LinkMAC(s *secret.Sealer, company shop.CompanyID, of func(shop.CompanyID) string) string {
	return s.LinkMAC(company.String(), of(company))
}

// A LinkCheck reports whether a link of a shop was signed for it.
type LinkCheck func(mac string, of func(shop.CompanyID) string) bool

// CheckLinks returns the check of the links of a shop: of those that were signed here, and of those
// of the installations that it has come from, where it had another id.
func CheckLinks(ctx context.Context, db *store.Store, s *secret.Sealer, company shop.CompanyID) LinkCheck {
	return func(mac string, of func(shop.CompanyID) string) bool {
		if s.VerifyLink(company.String(), mac, of(company)) {
			return true
		}
		list, err := companydb.LinkKeys(ctx, db, company)
		if err != nil {
			slog.WarnContext(ctx, "a link could not be checked", "company", company, "error", err)
		}
		for _, earlier := range list {
			keys, err := s.Open(earlier.Sealed, fmt.Sprintf("shop %d links", company))
			if err == nil && secret.VerifyMovedLink(keys, mac, of(earlier.Was)) {
				return true
			}
		}
		return false
	}
}
