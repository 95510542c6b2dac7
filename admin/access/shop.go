package access

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// NewShop is what `vitrine shop create` gives.
type NewShop struct {
	Slug, Name, Currency      string
	OwnerEmail, OwnerPassword string
}

var (
	slugForm     = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)
	currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)
)

// CreateShop makes a shop and its owner. A person who exists already becomes
// the owner when the password is theirs.
func (a *Access) CreateShop(ctx context.Context, in NewShop) (store.Company, shop.UserID, error) {
	switch {
	case !slugForm.MatchString(in.Slug) || strings.HasSuffix(in.Slug, "-"):
		return store.Company{}, 0, ErrSlugInvalid.With("a host label: a-z, 0-9 and -, starting with a letter, at most 63")
	case strings.TrimSpace(in.Name) == "":
		return store.Company{}, 0, ErrNameRequired
	case !currencyForm.MatchString(in.Currency):
		return store.Company{}, 0, ErrCurrencyInvalid.With("three capital letters, such as EUR")
	}
	if _, err := a.store.CompanyBySlug(ctx, in.Slug); err == nil {
		return store.Company{}, 0, store.ErrShopSlugTaken.With(in.Slug)
	}
	owner, err := a.ensurePerson(ctx, in.OwnerEmail, in.OwnerPassword)
	if err != nil {
		return store.Company{}, 0, err
	}
	if _, err := a.store.CreateCompany(ctx, in.Slug, in.Name, in.Currency, owner); err != nil {
		return store.Company{}, 0, err
	}
	company, err := a.store.CompanyBySlug(ctx, in.Slug)
	return company, owner, err
}

// AddMember gives a person a role in a shop, making the person when needed.
func (a *Access) AddMember(ctx context.Context, company shop.CompanyID, email, password string, role shop.Role) (shop.UserID, error) {
	if role != shop.Admin && role != shop.Editor {
		return 0, ErrRoleUnknown.With("admin or editor")
	}
	person, err := a.ensurePerson(ctx, email, password)
	if err != nil {
		return 0, err
	}
	return person, a.store.Write(ctx, company, func(tx *store.Tx) error { return tx.AddMember(ctx, person, role) })
}

func (a *Access) ensurePerson(ctx context.Context, email, password string) (shop.UserID, error) {
	email, err := checkEmail(email)
	if err != nil {
		return 0, err
	}
	if err := checkPassword(password); err != nil {
		return 0, err
	}
	known, found, err := a.store.PersonByEmail(ctx, email)
	if err != nil {
		return 0, err
	}
	if found {
		if ok, err := a.check(ctx, known.PasswordHash, password); err != nil || !ok {
			return 0, ErrCredentials.With("this email is known, with another password")
		}
		return known.ID, nil
	}
	hash, err := a.hash(ctx, password)
	if err != nil {
		return 0, err
	}
	return a.store.CreatePerson(ctx, email, "", hash)
}

// KeyRequest is what a new key shall be.
type KeyRequest struct {
	Name    string       `json:"name"`
	Contour shop.Contour `json:"contour"`
	Scopes  []shop.Scope `json:"scopes"`
}

// IssueKey makes a key for a person with a role in a shop; the secret is
// returned once and stored hashed (document 1, section 5).
func (a *Access) IssueKey(ctx context.Context, company shop.CompanyID, person shop.UserID, role shop.Role, in KeyRequest) (string, store.Key, error) {
	if in.Contour == "" {
		in.Contour = shop.Prod
	}
	if in.Contour != shop.Prod && in.Contour != shop.Dev {
		return "", store.Key{}, ErrContourUnknown.With("prod or dev")
	}
	scopes, err := grantable(in.Scopes, role)
	if err != nil {
		return "", store.Key{}, err
	}
	if in.Name, err = checkName(in.Name); err != nil {
		return "", store.Key{}, err
	}
	if in.Name == "" {
		in.Name = "key"
	}
	token, hash, err := secret.New(secret.Key)
	if err != nil {
		return "", store.Key{}, err
	}
	key := store.Key{Company: company, Person: person, Role: role, Name: in.Name, Contour: in.Contour, Scopes: scopes, CreatedAt: a.now().UTC()}
	err = a.store.Write(ctx, company, func(tx *store.Tx) (err error) {
		key.ID, err = tx.IssueKey(ctx, key, hash)
		return err
	})
	return token, key, err
}

// grantable checks the scopes of a new key against the table and the role.
func grantable(asked []shop.Scope, role shop.Role) ([]shop.Scope, error) {
	if len(asked) > shop.MaxScopes {
		return nil, ErrTooManyScopes.With(fmt.Sprintf("at most %d", shop.MaxScopes))
	}
	names := make([]string, len(asked))
	for i, s := range asked {
		names[i] = string(s)
	}
	scopes, unknown := shop.ParseScopes(strings.Join(names, ","))
	switch {
	case len(unknown) > 0:
		return nil, ErrScopeUnknown.With(strings.Join(unknown, ", "))
	case len(scopes) == 0:
		return nil, ErrScopeUnknown.With("a key needs at least one scope")
	}
	if i := slices.IndexFunc(scopes, shop.Scope.Sensitive); i >= 0 && !role.Manages() {
		return nil, ErrScopeSensitive.With(string(scopes[i]) + " is granted by an owner or admin only")
	}
	return scopes, nil
}
