package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	policydb "vitrine/internal/store/policy"
)

// Limits of a policy.
const (
	maxName   = 255 // characters; also of a title
	maxText   = 5000
	maxListed = 1000 // resources of one policy
	maxOfOne  = 5    // policies of one resource: an entry compares a password with each
	maxGroups = 100
)

var (
	kinds = []shop.PolicyKind{shop.ByPassword, shop.ByGroup, shop.ByCustomers}
	types = []resourceType{"category", "product", "article", "site_folder"}
)

// resourceType is the type of an entity that a policy closes.
type resourceType string

// Values lists the types as texts.
func (resourceType) Values() []string { return shop.Texts(types) }

// resource is an entity that a policy closes.
type resource struct {
	Type resourceType `json:"type" required:"always" len:"64" refuse:"ACCESS_POLICY_INVALID"`
	ID   shop.Int64   `json:"id" required:"always"`
}

// item is a policy as sent by the client; absent fields stay unchanged.
type item struct {
	Name      *string                 `json:"name" required:"POST" len:"255" refuse:"ACCESS_POLICY_INVALID"`
	Kind      *shop.PolicyKind        `json:"kind" required:"POST" len:"64" refuse:"ACCESS_POLICY_INVALID"`
	Groups    *[]shop.CustomerGroupID `json:"group_ids" max:"100" refuse:"ACCESS_POLICY_INVALID" doc:"for the kind group; ignored for other kinds"`
	Resources *[]resource             `json:"resources" max:"1000" refuse:"ACCESS_POLICY_INVALID" doc:"a section closes everything below it"`
	Title     *string                 `json:"title" len:"255" refuse:"ACCESS_POLICY_INVALID" doc:"title of the page shown to visitors without access; empty: the platform's default"`
	Text      *string                 `json:"text" len:"5000" refuse:"ACCESS_POLICY_INVALID" doc:"plain text on that page"`
}

// apply applies the sent fields to a policy and validates the result as far as possible without
// reading the shop.
func (i item) apply(p *policydb.Policy) error {
	api.Set(&p.Name, i.Name)
	api.Set(&p.Kind, i.Kind)
	api.Set(&p.Groups, i.Groups)
	api.Set(&p.Title, i.Title)
	api.Set(&p.Text, i.Text)
	p.Name, p.Title, p.Text = strings.TrimSpace(p.Name), strings.TrimSpace(p.Title), strings.TrimSpace(p.Text)
	if p.Kind != shop.ByGroup {
		p.Groups = []shop.CustomerGroupID{}
	}
	slices.Sort(p.Groups)
	p.Groups = slices.Compact(p.Groups)
	switch {
	case p.Name == "":
		return errInvalid.At("name").With("must not be empty")
	case !slices.Contains(kinds, p.Kind):
		return errInvalid.At("kind").With("password, group or customers")
	case p.Kind == shop.ByGroup && len(p.Groups) == 0:
		return errInvalid.At("group_ids").With("a policy of kind group needs at least one customer group")
	case p.Resources == nil && i.Resources == nil && p.ID == 0:
		i.Resources = &[]resource{}
	}
	if i.Resources == nil {
		p.Resources = nil // unchanged
		return nil
	}
	p.Resources = []policydb.Resource{}
	for n, r := range *i.Resources {
		one := policydb.Resource{Type: string(r.Type), ID: int32(r.ID)}
		switch {
		case !slices.Contains(types, r.Type):
			return shop.AtEntry(errInvalid.At("type").With("category, product, article or site_folder"), "resources", n)
		case shop.Int64(one.ID) != r.ID || one.ID <= 0:
			return unknown(string(r.Type), int64(r.ID))
		}
		if !slices.Contains(p.Resources, one) {
			p.Resources = append(p.Resources, one)
		}
	}
	return nil
}

func unknown(kind string, id int64) error {
	return errInvalid.At("resources").With(fmt.Sprintf("the shop has no %s %d", kind, id))
}

// checkExists refuses a policy that refers to resources or customer groups that do not exist. It
// reads the live shop: an entity that exists only in the draft cannot be closed yet.
func checkExists(ctx context.Context, r store.Reader, p policydb.Policy) error {
	one, found, err := policydb.UnknownResource(ctx, r, p.Resources)
	switch {
	case err != nil:
		return err
	case found:
		return unknown(one.Type, int64(one.ID))
	}
	group, found, err := policydb.UnknownGroup(ctx, r, p.Groups)
	if err == nil && found {
		err = errInvalid.At("group_ids").With(fmt.Sprintf("the shop has no customer group %d", group))
	}
	return err
}

// checkAll checks the rules for all policies together: the home page stays open, so that the shop
// has an entrance, and no resource has too many policies.
func (ps *Policies) checkAll(ctx context.Context, r store.Reader) error {
	all, _, err := policydb.List(ctx, r, 0, 0)
	if err != nil {
		return err
	}
	count := map[policydb.Resource]int{}
	for _, other := range all {
		for _, one := range other.Resources {
			if one.Type == "site_folder" {
				one.Type = "category"
			}
			if count[one]++; count[one] > maxOfOne {
				return errInvalid.At("resources").With(fmt.Sprintf("%s %d already has %d policies", one.Type, one.ID, maxOfOne))
			}
		}
	}
	site, err := load.ClosedSections(ctx, r, ps.Hosts)
	if err != nil {
		return err
	}
	if home, closed := site.ClosedHome(); closed {
		return errHome.With(home.Name)
	}
	return nil
}
