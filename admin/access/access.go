// Package access is people, sessions, keys and the passport: who may act for
// which shop, and with which rights (document 1, sections 2.1 and 5; CONTRACT,
// "People, sessions, keys").
//
// A key is a person's: it acts in the person's shop with the person's role as
// it is now, in one contour, with at most 32 scopes. Secrets are stored hashed
// and shown once. A session is a person in a browser; it has the rights of the
// role.
package access

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of access.
var (
	ErrCredentials     = shop.Refuse(shop.Unauthenticated, "INVALID_CREDENTIALS")
	ErrTooManyTries    = shop.Refuse(shop.ResourceExhausted, "RATE_LIMITED")
	ErrEmailInvalid    = shop.Refuse(shop.InvalidArgument, "EMAIL_INVALID")
	ErrPasswordWeak    = shop.Refuse(shop.InvalidArgument, "PASSWORD_TOO_SHORT")
	ErrScopeUnknown    = shop.Refuse(shop.InvalidArgument, "SCOPE_UNKNOWN")
	ErrTooManyScopes   = shop.Refuse(shop.InvalidArgument, "TOO_MANY_SCOPES")
	ErrScopeSensitive  = shop.Refuse(shop.PermissionDenied, "SCOPE_SENSITIVE")
	ErrContourUnknown  = shop.Refuse(shop.InvalidArgument, "CONTOUR_UNKNOWN")
	ErrRoleUnknown     = shop.Refuse(shop.InvalidArgument, "ROLE_UNKNOWN")
	ErrKeyNotFound     = shop.Refuse(shop.NotFound, "TOKEN_NOT_FOUND")
	ErrSlugInvalid     = shop.Refuse(shop.InvalidArgument, "SHOP_SLUG_INVALID")
	ErrCurrencyInvalid = shop.Refuse(shop.InvalidArgument, "CURRENCY_INVALID")
	ErrNameRequired    = shop.Refuse(shop.InvalidArgument, "NAME_REQUIRED")
)

const (
	minPassword     = 8
	maxPassword     = 256
	maxEmail        = 254
	maxName         = 255 // characters, of people and keys
	sessionLifetime = 30 * 24 * time.Hour
	triesPerWindow  = 10 // failed logins of one email in 15 minutes
	tryWindow       = 15 * time.Minute
)

// Access answers the endpoints of this package.
type Access struct {
	store   *store.Store
	now     func() time.Time
	urls    api.URLs
	tries   tries
	hashing chan struct{} // argon2id takes 19 MiB and 20 ms: two at once
	table   []api.Endpoint
}

// New takes the clock, so that sessions and tries can be tested.
func New(s *store.Store, urls api.URLs, now func() time.Time) *Access {
	return &Access{store: s, now: now, urls: urls, tries: tries{seen: map[string]try{}}, hashing: make(chan struct{}, 2)}
}

// Identify finds out who calls. An unknown token is a refusal, no token is an
// anonymous caller (document 1, section 5).
func (a *Access) Identify(ctx context.Context, token, contour string) (api.Identity, error) {
	switch {
	case token == "":
		return api.Identity{}, nil
	case secret.WellFormed(token, secret.Key):
		return a.byKey(ctx, token)
	case secret.WellFormed(token, secret.Session):
		return a.bySession(ctx, token, contour)
	}
	return api.Identity{}, api.ErrUnauthenticated.With("this is no key")
}

func (a *Access) byKey(ctx context.Context, token string) (api.Identity, error) {
	now := a.now()
	key, found, err := a.store.KeyByHash(ctx, secret.Hash(token), now)
	if err != nil {
		return api.Identity{}, err
	}
	// A role that was lowered takes the keys with sensitive scopes with it
	// (document 1, section 5).
	if !found || !key.Role.Manages() && slices.ContainsFunc(key.Scopes, shop.Scope.Sensitive) {
		return api.Identity{}, api.ErrUnauthenticated.With("the key is unknown, revoked or expired")
	}
	if key.LastUsedAt == nil || now.Sub(*key.LastUsedAt) > time.Minute {
		if err := a.store.TouchKey(ctx, key.Company, key.ID, now); err != nil {
			return api.Identity{}, err
		}
	}
	return api.Identity{
		Person: key.Person, Company: key.Company, Role: key.Role, Contour: key.Contour, Key: key.ID, Scopes: key.Scopes,
	}, nil
}

func (a *Access) bySession(ctx context.Context, token, contour string) (api.Identity, error) {
	person, err := a.store.SessionPerson(ctx, secret.Hash(token), a.now())
	if err != nil {
		return api.Identity{}, err
	}
	if person == 0 {
		return api.Identity{}, api.ErrUnauthenticated.With("the session is over")
	}
	company, role, err := a.store.MainCompany(ctx, person)
	if err != nil {
		return api.Identity{}, err
	}
	who := api.Identity{Person: person, Company: company, Role: role, Contour: shop.Prod}
	if contour == string(shop.Dev) {
		who.Contour = shop.Dev
	}
	return who, nil
}

// hash runs argon2id, two at once.
func (a *Access) hash(ctx context.Context, password string) (string, error) {
	release, err := a.enter(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	return secret.HashPassword(password)
}

func (a *Access) check(ctx context.Context, phc, password string) (bool, error) {
	release, err := a.enter(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	return secret.CheckPassword(phc, password), nil
}

func (a *Access) enter(ctx context.Context) (release func(), err error) {
	select {
	case a.hashing <- struct{}{}:
		return func() { <-a.hashing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

var emailForm = regexp.MustCompile(`^[^\s@]{1,64}@[^\s@]+\.[^\s@.]+$|^[^\s@]{1,64}@localhost$`)

func checkEmail(email string) (string, error) {
	email = strings.TrimSpace(email)
	if len(email) > maxEmail || !emailForm.MatchString(email) {
		return "", ErrEmailInvalid.With("expected name@host")
	}
	return email, nil
}

func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if utf8.RuneCountInString(name) > maxName {
		return "", shop.ErrInvalidRequest.With("a name has at most 255 characters")
	}
	return name, nil
}

func checkPassword(password string) error {
	if len(password) < minPassword || len(password) > maxPassword {
		return ErrPasswordWeak.With("8 to 256 bytes")
	}
	return nil
}

// tries counts logins by email, before the password is looked at, so that many
// at once are no way around. It is bounded: when it is full of fresh entries,
// further emails are not remembered, only slowed by the hashing gate.
type tries struct {
	mu   sync.Mutex
	seen map[string]try
}

type try struct {
	count int
	since time.Time
}

const maxTries = 10000

// take counts a try, or says how long to wait.
func (t *tries) take(who string, now time.Time) (wait time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	seen, known := t.seen[who]
	if known && now.Sub(seen.since) >= tryWindow {
		seen, known = try{}, false
	}
	if !known {
		seen.since = now
		t.forgetOld(now)
	}
	if seen.count >= triesPerWindow {
		return tryWindow - now.Sub(seen.since), false
	}
	seen.count++
	if _, kept := t.seen[who]; kept || len(t.seen) < maxTries {
		t.seen[who] = seen
	}
	return 0, true
}

// giveBack takes back a try that was right.
func (t *tries) giveBack(who string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if seen, known := t.seen[who]; known {
		seen.count--
		t.seen[who] = seen
	}
}

func (t *tries) forgetOld(now time.Time) {
	if len(t.seen) >= maxTries {
		maps.DeleteFunc(t.seen, func(_ string, old try) bool { return now.Sub(old.since) >= tryWindow })
	}
}
