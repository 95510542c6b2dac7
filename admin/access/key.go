package access

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// keys lists the person's own keys. It flushes first, so that the list includes their last use.
func (a *Access) keys(ctx context.Context, c *api.Call, _ api.None) (api.Result[[]people.APIKey], error) {
	if err := a.Flush(ctx); err != nil {
		return api.Result[[]people.APIKey]{}, err
	}
	list, err := people.Keys(ctx, a.store.Shop(c.Company), c.Person)
	for i := range list {
		list[i].CreatedAt = list[i].CreatedAt.UTC()
		for _, at := range []*time.Time{list[i].LastUsedAt, list[i].ExpiresAt} {
			if at != nil {
				*at = at.UTC()
			}
		}
	}
	return api.Wrap(list), err
}

// keyItem is the body of POST /v1/account/tokens. A key without a name is called "key"; an
// empty name is refused.
// askedScope is a scope that a key is asked for with.
type askedScope shop.Scope

// Values lists them.
func (askedScope) Values() []string { return append([]string{"all"}, shop.Scope("").Values()...) }

type keyItem struct {
	Name      *string      `json:"name"`
	Contour   shop.Contour `json:"contour"`
	Scopes    []askedScope `json:"scopes" required:"always" max:"32" len:"body" refuse:"TOO_MANY_SCOPES" doc:"all stands for every scope"`
	ExpiresAt *time.Time   `json:"expires_at"` // null: never
}

type issued struct {
	Key       string       `json:"key"`
	ID        shop.KeyID   `json:"id"`
	Name      string       `json:"name"`
	Contour   shop.Contour `json:"contour"`
	Scopes    []shop.Scope `json:"scopes"`
	CreatedAt time.Time    `json:"created_at"`
	ExpiresAt *time.Time   `json:"expires_at"`
}

func (a *Access) issue(ctx context.Context, c *api.Call, in keyItem) (api.Result[issued], error) {
	if !c.Role.Known() {
		return api.Result[issued]{}, api.ErrRole.With("you are not a member of a shop")
	}
	request := KeyRequest{Name: "key", Contour: in.Contour, ExpiresAt: in.ExpiresAt}
	for _, s := range in.Scopes {
		request.Scopes = append(request.Scopes, shop.Scope(s))
	}
	if in.Name != nil {
		request.Name = *in.Name
	}
	if slices.ContainsFunc(request.Scopes, func(s shop.Scope) bool { return s == "all" || s.Sensitive() }) {
		if err := c.RequireFresh(); err != nil {
			return api.Result[issued]{}, err
		}
	}
	token, key, err := a.IssueKey(ctx, c.Company, c.Person, request)
	return api.Wrap(issued{
		Key: token, ID: key.ID, Name: key.Name, Contour: key.Contour, Scopes: key.Scopes, CreatedAt: key.CreatedAt, ExpiresAt: key.ExpiresAt,
	}), err
}

type keyPath struct {
	ID shop.KeyID `path:"id" json:"-"`
}

func (a *Access) revoke(ctx context.Context, c *api.Call, in keyPath) (api.None, error) {
	return api.None{}, a.store.Write(ctx, c.Company, func(tx *store.Tx) error {
		found, err := people.RevokeKey(ctx, tx, c.Person, in.ID, a.now())
		if err == nil && !found {
			return ErrKeyNotFound
		}
		return err
	})
}

// KeyRequest describes a new key. An empty contour is prod.
type KeyRequest struct {
	Name      string
	Contour   shop.Contour
	Scopes    []shop.Scope
	ExpiresAt *time.Time // nil: never
}

// IssueKey creates a key for a member of a shop. It returns the secret once and stores its hash
// (document 1, section 5). It checks what the person's role may grant under the lock of the
// members, so that concurrently lowering the role leaves no sensitive key behind.
func (a *Access) IssueKey(ctx context.Context, company shop.CompanyID, person shop.UserID, in KeyRequest) (string, people.APIKey, error) {
	key, err := a.newKey(in)
	if err != nil {
		return "", people.APIKey{}, err
	}
	key.Company, key.Person = company, person
	token, hash, err := secret.New(secret.Key)
	if err != nil {
		return "", people.APIKey{}, err
	}
	err = a.store.Write(ctx, company, func(tx *store.Tx) (err error) {
		if err := tx.LockMembers(ctx); err != nil {
			return err
		}
		if key.Role, err = people.RoleOf(ctx, tx.Reader, person); err != nil {
			return err
		}
		if err := grantable(key.Scopes, key.Role); err != nil {
			return err
		}
		key.ID, err = people.IssueKey(ctx, tx, key, hash)
		return err
	})
	return token, key, err
}

// newKey checks the parts of a request that do not depend on the person.
func (a *Access) newKey(in KeyRequest) (key people.APIKey, err error) {
	if in.Contour == "" {
		in.Contour = shop.Prod
	}
	if in.Contour != shop.Prod && in.Contour != shop.Dev {
		return key, ErrContourUnknown.At("contour").With("prod or dev")
	}
	scopes, err := knownScopes(in.Scopes)
	if err != nil {
		return key, err
	}
	if in.Name, err = checkName(in.Name); err != nil {
		return key, err
	}
	if in.Name == "" {
		return key, ErrNameRequired.At("name").With("a key needs a name to distinguish it from others")
	}
	now := a.now().UTC()
	if in.ExpiresAt != nil {
		at := in.ExpiresAt.UTC().Truncate(time.Second)
		if !at.After(now) {
			return key, ErrExpiryInvalid.At("expires_at").With("must be in the future")
		}
		in.ExpiresAt = &at
	}
	return people.APIKey{Name: in.Name, Contour: in.Contour, Scopes: scopes, CreatedAt: now, ExpiresAt: in.ExpiresAt}, nil
}

// knownScopes checks the requested scopes against the table; ["all"] means all of them.
func knownScopes(asked []shop.Scope) ([]shop.Scope, error) {
	if len(asked) > shop.MaxScopes {
		return nil, ErrTooManyScopes.At("scopes").With(fmt.Sprintf("at most %d", shop.MaxScopes))
	}
	names := make([]string, len(asked))
	for i, s := range asked {
		names[i] = string(s)
		if strings.ContainsRune(names[i], ',') {
			return nil, shop.AtEntry(ErrScopeUnknown.With(names[i]+": list each scope separately"), "scopes", i)
		}
		if strings.TrimSpace(names[i]) == "" {
			return nil, shop.AtEntry(ErrScopeUnknown.With("empty"), "scopes", i)
		}
	}
	scopes, unknown := shop.ParseScopes(strings.Join(names, ","))
	switch {
	case len(unknown) > 0:
		return nil, ErrScopeUnknown.At("scopes").With(strings.Join(unknown, ", "))
	case len(scopes) == 0:
		return nil, ErrScopeUnknown.At("scopes").With("a key needs at least one scope")
	}
	return scopes, nil
}

// grantable checks scopes against the role of the key's person.
func grantable(scopes []shop.Scope, role shop.Role) error {
	if !role.Known() {
		return api.ErrRole.With("you are not a member of this shop")
	}
	if i := slices.IndexFunc(scopes, shop.Scope.Sensitive); i >= 0 && !role.CanManage() {
		return ErrScopeSensitive.At("scopes").With(string(scopes[i]) + " can only be granted by an owner or admin")
	}
	return nil
}
