package access

import (
	"context"
	"regexp"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api/body"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

// NewShop are the arguments of `vitrine shop create`.
type NewShop struct {
	Slug, Name, Currency      string
	OwnerEmail, OwnerPassword string
	PriceDigits               int // decimal digits of its prices; they never change
}

var (
	slugForm     = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)
	currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)
)

// CreateShop creates a shop and its owner, and the templates of its articles. An existing
// person becomes the owner if the password is theirs.
func (a *Access) CreateShop(ctx context.Context, in NewShop) (companydb.Company, shop.UserID, error) {
	in.Name = strings.TrimSpace(in.Name)
	if err := CheckShop(in.Slug, in.Name); err != nil {
		return companydb.Company{}, 0, err
	}
	if err := CheckCurrency(in.Currency, in.PriceDigits); err != nil {
		return companydb.Company{}, 0, err
	}
	if _, err := companydb.CompanyBySlug(ctx, a.store, in.Slug); err == nil {
		return companydb.Company{}, 0, companydb.ErrShopSlugTaken.At("slug").With(in.Slug)
	}
	owner, err := a.EnsurePerson(ctx, in.OwnerEmail, in.OwnerPassword)
	if err != nil {
		return companydb.Company{}, 0, err
	}
	if _, err := companydb.CreateCompany(ctx, a.store, in.Slug, in.Name, in.Currency, owner, func(tx *store.Tx) error {
		if err := companydb.SetPriceDigits(ctx, tx, in.PriceDigits); err != nil {
			return err
		}
		return seedDesign(ctx, tx)
	}); err != nil {
		return companydb.Company{}, 0, err
	}
	company, err := companydb.CompanyBySlug(ctx, a.store, in.Slug)
	return company, owner, err
}

// CheckShop refuses invalid slugs and invalid names of shops. The name is trimmed.
func CheckShop(slug, name string) error {
	switch {
	case !slugForm.MatchString(slug) || strings.HasSuffix(slug, "-"):
		return ErrSlugInvalid.At("slug").With("expected a host label of a-z, 0-9 and -, starting with a letter, at most 63 characters")
	case name == "":
		return ErrNameRequired.At("name").With("must not be empty")
	case utf8.RuneCountInString(name) > maxShopName:
		return body.ErrTextTooLong.At("name").With("at most 255 characters")
	}
	return nil
}

const maxShopName = 255

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

// EnsurePerson creates a person, or returns the existing one if the password is theirs.
func (a *Access) EnsurePerson(ctx context.Context, email, password string) (shop.UserID, error) {
	email, err := checkEmail(email)
	if err != nil {
		return 0, err
	}
	if err := checkPassword("password", password); err != nil {
		return 0, err
	}
	known, found, err := people.PersonByEmail(ctx, a.store, email)
	if err != nil {
		return 0, err
	}
	if found {
		if ok, err := a.check(ctx, known.PasswordHash, password); err != nil || !ok {
			return 0, ErrCredentials.With("this email has an account with another password")
		}
		return known.ID, nil
	}
	hash, err := a.hash(ctx, password)
	if err != nil {
		return 0, err
	}
	return people.CreatePerson(ctx, a.store, email, "", hash)
}
