package assist

import (
	"strings"

	"vitrine/compile"
)

// PolicyKind is what a page of terms is about.
type PolicyKind string

// The kinds.
const (
	PrivacyPolicy  PolicyKind = "privacy_policy"
	TermsOfService PolicyKind = "terms_of_service"
	RefundPolicy   PolicyKind = "refund_policy"
	ShippingPolicy PolicyKind = "shipping_policy"
	FAQ            PolicyKind = "faq"
)

// Policy is a page of the shop that buyers should be able to read before they order.
type Policy struct {
	Kind PolicyKind
	URL  string
}

// policyPaths are the addresses of pages of terms, as shops usually name them.
var policyPaths = []struct {
	kind  PolicyKind
	paths []string
}{
	{PrivacyPolicy, []string{"/privacy-policy", "/privacy"}},
	{TermsOfService, []string{"/terms-of-service", "/terms"}},
	{RefundPolicy, []string{"/refund-policy", "/returns"}},
	{ShippingPolicy, []string{"/shipping-policy", "/shipping", "/delivery"}},
	{FAQ, []string{"/faq"}},
}

// Policies lists the pages of terms that all visitors of a shop can read: those with the usual
// addresses, or that these lead to.
func Policies(site *compile.Site) (list []Policy) {
	var walk compile.Walk
	for _, p := range policyPaths {
		for _, path := range p.paths {
			d := site.Resolve(&walk, site.Shop().Hosts[0], path)
			if d.Kind == compile.Redirect && d.By != compile.ByFallback && strings.HasPrefix(d.Location, "/") {
				d = site.Resolve(&walk, site.Shop().Hosts[0], strings.Clone(d.Location))
			}
			if d.Kind != compile.Page || d.Closed != nil || d.Rest != "" {
				continue
			}
			if at := site.URL(d.Page); at != "" && at != "/" {
				list = append(list, Policy{p.kind, site.Shop().Origin + at})
				break
			}
		}
	}
	return list
}
