// Package access manages people, sessions, keys and the passport: who may act for which shop,
// and with which rights (document 1, sections 2.1 and 5; CONTRACT, "People, sessions, keys").
//
// A key belongs to a person. It acts in the shop that it was issued in, with the person's
// current role there, in one contour and with at most 32 scopes. Secrets are stored hashed and
// shown once. A session is a person signed in with a browser; it acts in the person's main
// company, with the rights of the role.
//
// Owners and admins manage members in a session, never with keys. A role above one's own cannot
// be granted, a shop keeps at least one owner, and lowering a role revokes the person's keys
// with sensitive scopes. Being added to a shop never changes which shop a person acts for.
//
// Anyone can register any address, so having an account does not prove that the person reads
// its mail. A person with an unproven address may sign in and keeps the roles that the operator
// granted, but accepting an invitation requires a code that is only sent in a letter to the
// address. With the code and no session, the caller sets a password: an unproven account of
// that address becomes theirs, and whoever registered it is locked out. A code of six digits
// proves an address in the same way and opens a session.
//
// A person may add a second factor: an authenticator app with recovery codes. Then no call opens a
// session without it, except for a passkey, whose device verifies the person. A passkey alone does
// not close the way by password, so losing the device locks nobody out. A sensitive call of a session needs a proof of identity from the last
// 10 minutes, which a sign-in is as well (api.Endpoint.Fresh).
package access

import (
	"net/netip"

	"log/slog"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-webauthn/webauthn/webauthn"

	"vitrine/admin/api"
	"vitrine/admin/api/body"
	"vitrine/internal/budget"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// Refusals of access.
var (
	ErrCredentials     = shop.Refuse(shop.Unauthenticated, "INVALID_CREDENTIALS").When("email or password is wrong")
	ErrTooManyAttempts = shop.Refuse(shop.ResourceExhausted, "RATE_LIMITED").When("too many calls in this minute; wait for Retry-After seconds")
	ErrEmailInvalid    = shop.Refuse(shop.InvalidArgument, "EMAIL_INVALID").When("email is not an email address")
	ErrPasswordWeak    = shop.Refuse(shop.InvalidArgument, "PASSWORD_TOO_SHORT").When("the password is too short or too long")
	ErrScopeUnknown    = shop.Refuse(shop.InvalidArgument, "SCOPE_UNKNOWN").When("a scope is not listed in /docs/scopes.json")
	ErrTooManyScopes   = shop.Refuse(shop.InvalidArgument, "TOO_MANY_SCOPES").When("more than 32 scopes")
	ErrScopeSensitive  = shop.Refuse(shop.PermissionDenied, "SCOPE_SENSITIVE").When("the role may not grant a sensitive scope")
	ErrContourUnknown  = shop.Refuse(shop.InvalidArgument, "CONTOUR_UNKNOWN").When("contour is not prod or dev")
	ErrRoleUnknown     = shop.Refuse(shop.InvalidArgument, "ROLE_UNKNOWN").When("role is not owner, admin or editor")
	ErrKeyNotFound     = shop.Refuse(shop.NotFound, "TOKEN_NOT_FOUND").When("you have no key with this id")
	ErrNameRequired    = shop.Refuse(shop.InvalidArgument, "NAME_REQUIRED").When("name is missing or empty")
	ErrExpiryInvalid   = shop.Refuse(shop.InvalidArgument, "EXPIRES_AT_INVALID").When("expires_at is in the past")
	ErrRoleAbove       = shop.Refuse(shop.PermissionDenied, "ROLE_ABOVE_OWN").When("the call would grant, change or remove a role above one's own")
	ErrNotYourCompany  = shop.Refuse(shop.NotFound, "COMPANY_NOT_FOUND").When("the person is not a member of such a shop")
)

const (
	minPassword     = 8
	maxPassword     = 256
	maxEmail        = 254
	maxName         = 255 // characters in names of people and keys
	sessionLifetime = 30 * 24 * time.Hour
)

// Access implements the endpoints of this package.
type Access struct {
	store         *store.Store
	now           func() time.Time
	urls          api.URLs
	sealer        *secret.Sealer
	log           *slog.Logger
	guesses       guesses
	factorGuesses guesses
	passkeys      *webauthn.WebAuthn
	signIns       *budget.Budgets[netip.Prefix] // begun with a passkey, by network
	guests        *budget.Budgets[netip.Prefix] // created guests, by network
	keyUses       uses[shop.KeyID, people.KeyUse]
	sessionUses   uses[shop.SessionID, people.SessionUse]
	hashing       hashing
	table         []api.Endpoint
}

// New returns an Access. Tests pass their own clock to control sessions and attempts. sealer
// encrypts the secrets of authenticator apps; commands that sign nobody in pass nil. log receives
// letters for the operator; it is nil if a mail server delivers them.
func New(s *store.Store, sealer *secret.Sealer, urls api.URLs, log *slog.Logger, now func() time.Time) *Access {
	known := budget.NewMarks[pair](knownFor, now)
	return &Access{
		store: s, sealer: sealer, now: now, urls: urls, log: log,
		guesses: newGuesses(known), factorGuesses: newFactorGuesses(known),
		passkeys: newPasskeys(urls.Admin), signIns: budget.Shared[netip.Prefix]("passkey sign-ins", challengesOfNetwork, challengeLifetime, now, s.CountAttempts),
		guests: budget.Shared[netip.Prefix]("guests", guestsPerHour, time.Hour, now, s.CountAttempts),
	}
}

var emailForm = regexp.MustCompile(`^[^\s@]{1,64}@[^\s@]+\.[^\s@.]+$|^[^\s@]{1,64}@localhost$`)

func checkEmail(email string) (string, error) {
	email = strings.TrimSpace(email)
	if len(email) > maxEmail || !emailForm.MatchString(email) {
		return "", ErrEmailInvalid.At("email").With("expected name@host")
	}
	return email, nil
}

func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if utf8.RuneCountInString(name) > maxName {
		return "", body.ErrTextTooLong.At("name").With("at most 255 characters")
	}
	return name, nil
}

func checkPassword(field, password string) error {
	if len(password) < minPassword || len(password) > maxPassword {
		return ErrPasswordWeak.At(field).With("8 to 256 bytes")
	}
	return nil
}
