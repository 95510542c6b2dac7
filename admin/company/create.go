package company

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/admin/api/body"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

// NewShop describes a shop that is about to be created.
type NewShop struct {
	Slug, Name, Currency string
	PriceDigits          int // decimal digits of its prices; they never change
}

// check trims the name and refuses invalid fields.
func (s *Shops) check(in *NewShop) error {
	if err := s.CheckSlug(in.Slug); err != nil {
		return err
	}
	var err error
	if in.Name, err = checkName(in.Name); err != nil {
		return err
	}
	return CheckCurrency(in.Currency, in.PriceDigits)
}

// Create creates a shop with the templates of its articles, on the operator's behalf. owner is
// called once the rest is valid; it may create the person.
func (s *Shops) Create(ctx context.Context, in NewShop, owner func() (shop.UserID, error)) (company companydb.Company, person shop.UserID, err error) {
	if err := s.check(&in); err != nil {
		return company, 0, err
	}
	if _, err := companydb.CompanyBySlug(ctx, s.Store, in.Slug); err == nil { // before a person is created for nothing
		return company, 0, shop.ErrSlugTaken.At("slug").With("another shop has the slug " + in.Slug)
	}
	if person, err = owner(); err != nil {
		return company, 0, err
	}
	company, err = s.create(ctx, in, person, nil)
	return company, person, err
}

// create creates a shop whose fields are valid. allow may refuse it inside of the transaction.
func (s *Shops) create(ctx context.Context, in NewShop, owner shop.UserID, allow func(*store.Tx) error) (company companydb.Company, err error) {
	id, err := companydb.CreateCompany(ctx, s.Store, in.Slug, in.Name, in.Currency, owner, func(tx *store.Tx) error {
		if allow != nil {
			if err := allow(tx); err != nil {
				return err
			}
		}
		if err := companydb.SetPriceDigits(ctx, tx, in.PriceDigits); err != nil {
			return err
		}
		return seedDesign(ctx, tx)
	})
	if err != nil {
		return company, err
	}
	return companydb.Info(ctx, s.Store.Shop(id))
}

// open creates a shop of the caller.
func (s *Shops) open(ctx context.Context, c *api.Call, in newOrg) (out api.Result[openedView], err error) {
	if err := s.mayOpen(ctx, c); err != nil {
		return out, err
	}
	wanted := NewShop(in)
	if err := s.check(&wanted); err != nil {
		return out, err
	}
	company, err := s.create(ctx, wanted, c.Person, func(tx *store.Tx) error {
		return companydb.CountOpening(ctx, tx, c.Person, c.Network().String(), s.Now())
	})
	return api.Wrap(openedView{company.ID, company.Slug, s.URLs.Storefront(company)}), err
}

// mayOpen refuses callers who cannot have a shop of their own.
func (s *Shops) mayOpen(ctx context.Context, c *api.Call) error {
	switch {
	case c.Buyer:
		return errBuyer
	case s.SignupClosed:
		return ErrSignupClosed
	}
	person, err := people.GetPerson(ctx, s.Store, c.Person)
	if err == nil && person.Guest() {
		err = errBuyer
	}
	return err
}

// Admit refuses what open would refuse of the caller, the slug and the name, and returns the name
// trimmed.
func (s *Shops) Admit(ctx context.Context, c *api.Call, slug, name string) (trimmed string, err error) {
	if err := s.mayOpen(ctx, c); err != nil {
		return "", err
	}
	if err := s.CheckSlug(slug); err != nil {
		return "", err
	}
	return checkName(name)
}

// AdmitErrors are the refusals of Admit, and of a transaction that opens the shop.
var AdmitErrors = api.Refuses(ErrSignupClosed, api.ErrRole, ErrSlugInvalid, shop.ErrSlugTaken, ErrNameRequired, body.ErrTextTooLong, shop.ErrRateLimited)

type newOrg struct {
	Slug        string `json:"slug" required:"always" len:"body" doc:"first label of the shop's host: a-z, 0-9 and -, starting with a letter, at most 63 characters"`
	Name        string `json:"name" required:"always"`
	Currency    string `json:"currency" required:"always" len:"body" doc:"ISO code, such as EUR"`
	PriceDigits int    `json:"price_digits" doc:"decimal digits of its prices, which can never be changed: 0, or 2 if the currency has hundredths; then 1450 means 14.50"`
}

type openedView struct {
	Company       shop.CompanyID `json:"company_id"`
	Slug          string         `json:"slug"`
	StorefrontURL string         `json:"storefront_url"`
}

// ownView is a shop in the list of a person's shops.
type ownView struct {
	people.OwnShop
	StorefrontURL   string     `json:"storefront_url"`
	RestorableUntil *time.Time `json:"restorable_until" doc:"of a deleted shop: until when its owner can restore it"`
}

func (s *Shops) own(ctx context.Context, c *api.Call, _ api.None) (out api.Result[[]ownView], err error) {
	out.Result = []ownView{}
	if c.Buyer {
		return out, nil // storefronts must not see memberships
	}
	list, err := people.OwnShops(ctx, s.Store, c.Person)
	for _, o := range list {
		v := ownView{OwnShop: o, StorefrontURL: s.Hosts.Origin(o.Slug, o.Domain)}
		if o.DeletedAt != nil {
			until := o.DeletedAt.Add(store.RestoreWindow)
			v.RestorableUntil = &until
		}
		out.Result = append(out.Result, v)
	}
	return out, err
}

var (
	slugForm     = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)
	currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)
)

// reservedSlugs are first labels of hosts that a platform needs for itself, or that programs look
// for below any domain.
var reservedSlugs = map[string]bool{
	"admin": true, "api": true, "app": true, "autoconfig": true, "autodiscover": true, "cdn": true, "ftp": true, "imap": true, "localhost": true, "mail": true,
	"mta-sts": true, "mx": true, "ns1": true, "ns2": true, "pop": true, "smtp": true, "static": true, "status": true, "wpad": true, "www": true,
}

// CheckSlug refuses invalid slugs of shops. Labels with two hyphens at the third place are those of
// encoded international names (RFC 5891), which look like other names.
func (s *Shops) CheckSlug(slug string) error {
	switch {
	case !slugForm.MatchString(slug) || strings.HasSuffix(slug, "-") || len(slug) > 3 && slug[2:4] == "--":
		return ErrSlugInvalid.At("slug").With("expected a host label of a-z, 0-9 and -, starting with a letter, at most 63 characters")
	case reservedSlugs[slug] || s.ofAdmin(slug):
		return ErrSlugInvalid.At("slug").With(slug + " is reserved for the platform")
	}
	return nil
}

// ofAdmin reports whether a shop with this slug would have the host of the admin API.
func (s *Shops) ofAdmin(slug string) bool {
	u, err := url.Parse(s.URLs.Admin)
	return err == nil && strings.EqualFold(u.Hostname(), s.Hosts.Hosts(slug, "")[0])
}

const maxShopName = 255

// checkName trims a name and refuses invalid ones.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", ErrNameRequired.At("name").With("must not be empty")
	case utf8.RuneCountInString(name) > maxShopName:
		return "", body.ErrTextTooLong.At("name").With("at most 255 characters")
	}
	return name, nil
}

// CheckCurrency refuses invalid currency codes, and currencies that do not allow the number of
// decimal digits of the shop's prices.
func CheckCurrency(code string, digits int) error {
	switch {
	case !currencyForm.MatchString(code):
		return ErrCurrencyInvalid.At("currency").With("three capital letters, such as EUR")
	case shop.ValidPriceDigits(digits, code):
		return nil
	case shop.Exponent(code) == 2:
		return ErrPriceDigits.At("price_digits").With("0 or 2 in " + code)
	}
	return ErrPriceDigits.At("price_digits").With("0 in " + code)
}
