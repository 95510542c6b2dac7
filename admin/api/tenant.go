package api

import (
	"context"
	"slices"
	"strings"

	"vitrine/internal/origin"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// ErrShopHidden is the refusal for a shop that a visitor cannot see: it does not exist, or it
// is closed behind a PIN. Both get the same response.
var ErrShopHidden = shop.Refuse(shop.NotFound, "SHOP_NOT_FOUND").When("there is no such shop")

// Tenant returns the shop that a read is about: the storefront's, the caller's own, or the one
// that a caller without a shop names; without any it returns the refusal missing (document 1,
// section 4). A closed shop is hidden from everyone except its members, their keys, and
// visitors of its storefront who have entered the PIN.
func (c *Call) Tenant(named shop.CompanyID, missing *shop.Refusal) (shop.CompanyID, error) {
	switch {
	case c.Storefront != 0:
		named = c.Storefront
	case c.Company != 0:
		named = c.Company
	case named <= 0 && c.Deleted != 0:
		return 0, store.ErrShopDeleted
	case named <= 0:
		return 0, missing
	}
	return named, c.checkVisible(named)
}

// TenantOrNamed is Tenant for endpoints where a caller with a shop may name another one and is a
// visitor there (document 1, section 4, articles).
func (c *Call) TenantOrNamed(named shop.CompanyID, missing *shop.Refusal) (shop.CompanyID, error) {
	if named > 0 && c.Storefront == 0 {
		return named, c.checkVisible(named)
	}
	return c.Tenant(named, missing)
}

// ErrDenied refuses a buyer who names another shop than the one where the session was created.
var ErrDenied = shop.Refuse(shop.PermissionDenied, "DENIED").When("the order is not yours, or the session was created on the host of another shop")

// BuyerShop returns the shop whose cart, orders or wishlist a buyer means: on a shop's host
// that shop, else the named one (CONTRACT-COMMERCE, "Buyers"). 0 means none.
func (c *Call) BuyerShop(named shop.CompanyID) (shop.CompanyID, error) {
	switch {
	case c.Storefront == 0 && named > 0 && c.readGate != nil:
		_, err := c.readGate(named) // nobody has read yet whether there is such a shop
		return named, err
	case c.Storefront == 0:
		return max(named, 0), nil
	case named > 0 && named != c.Storefront:
		return 0, ErrDenied
	}
	return c.Storefront, nil
}

// ShopInAddress is embedded in requests that a page makes without a script, such as those of its
// pictures: they cannot have the header X-Vitrine-Shop, so their query may name the shop. The
// header goes before it.
type ShopInAddress struct {
	Shop string `query:"shop" json:"-" len:"63" doc:"the shop that a session acts in, by id or slug, for pages that cannot send X-Vitrine-Shop"`
}

const maxShopName = 63 // the length in the tag above

// ShopName names a shop by its public address, in the query of a read.
type ShopName struct {
	Slug   string `query:"slug" json:"-" doc:"the slug of the shop"`
	Domain string `query:"domain" json:"-" doc:"the domain of a shop with its own domain"`
}

// ShopByAddress returns the shop with a public address, for any caller; without an address it is
// Tenant.
func (c *Call) ShopByAddress(ctx context.Context, s *store.Store, name ShopName) (shop.CompanyID, error) {
	var company companydb.Company
	var err error
	switch {
	case name.Slug != "":
		company, err = companydb.CompanyBySlug(ctx, s, name.Slug)
	case name.Domain != "":
		company, err = companydb.CompanyByDomain(ctx, s, strings.ToLower(name.Domain))
	default:
		return c.Tenant(0, shop.ErrInvalidRequest.With("name the shop by slug or domain").About("slug"))
	}
	return company.ID, err
}

// checkVisible counts a visitor's call for the shop and refuses shops that the caller must not
// see.
func (c *Call) checkVisible(company shop.CompanyID) error {
	if c.readGate == nil || c.member(company) {
		return nil
	}
	if err := c.countForShop(company); err != nil || company == c.Storefront && origin.Of(c.http).Admitted {
		return err
	}
	gate, err := c.readGate(company)
	if err == nil && gate.Closed {
		err = ErrShopHidden
	}
	return err
}

func (c *Call) member(company shop.CompanyID) bool { return c.Company == company && c.Role.Known() }

// Visitor reports whether the caller sees only the public part of a shop: the caller is
// anonymous, the shop is not the caller's, or the key lacks the scopes of the endpoint
// (document 1, section 5).
func (c *Call) Visitor(company shop.CompanyID) bool {
	return !c.member(company) || slices.ContainsFunc(c.endpoint.Scopes, func(s shop.Scope) bool { return !c.Has(s) })
}
