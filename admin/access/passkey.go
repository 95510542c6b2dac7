package access

import (
	"cmp"
	"context"
	"encoding/json"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"vitrine/admin/api"
	"vitrine/internal/budget"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// Refusals of passkeys.
var (
	ErrPasskeyOrigin  = shop.Refuse(shop.InvalidArgument, "PASSKEY_ORIGIN").When("passkeys need an admin origin with a name, not an IP address, and are not for shops' hosts")
	ErrPasskeyInvalid = shop.Refuse(shop.Unauthenticated, "PASSKEY_INVALID").When("the passkey is unknown or of another origin, its user was not verified, or the challenge was used or is older than 5 minutes")
)

const (
	challengeLifetime   = 5 * time.Minute
	challengesOfNetwork = 60 // sign-ins that a network may begin in the lifetime of a challenge
)

// newPasskeys returns the checks of passkeys for the admin origin, or nil where browsers have none.
// Its address decides, never a header.
func newPasskeys(admin string) *webauthn.WebAuthn {
	at, err := url.Parse(admin)
	if err != nil || at.Hostname() == "" {
		return nil
	}
	if _, err := netip.ParseAddr(at.Hostname()); err == nil {
		return nil
	}
	keys, err := webauthn.New(&webauthn.Config{
		RPID: at.Hostname(), RPDisplayName: totpIssuer, RPOrigins: []string{at.Scheme + "://" + at.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil
	}
	return keys
}

// passkeyUser is a person as package webauthn sees them.
type passkeyUser struct {
	people.Person
	credentials []people.Credential
}

// WebAuthnID implements webauthn.User.
func (u *passkeyUser) WebAuthnID() []byte { return []byte(strconv.Itoa(int(u.ID))) }

// WebAuthnName implements webauthn.User.
func (u *passkeyUser) WebAuthnName() string { return u.Email }

// WebAuthnDisplayName implements webauthn.User.
func (u *passkeyUser) WebAuthnDisplayName() string { return cmp.Or(u.Name, u.Email) }

// WebAuthnCredentials implements webauthn.User.
func (u *passkeyUser) WebAuthnCredentials() (list []webauthn.Credential) {
	for _, c := range u.credentials {
		list = append(list, webauthn.Credential{
			ID: c.ID, PublicKey: c.PublicKey, Flags: webauthn.CredentialFlags{BackupEligible: c.BackupEligible},
			Authenticator: webauthn.Authenticator{SignCount: c.SignCount},
		})
	}
	return list
}

// passkeyOptions is what a page passes to the browser.
type passkeyOptions struct {
	PublicKey shop.Object `json:"publicKey" doc:"for PublicKeyCredential.parseCreationOptionsFromJSON or parseRequestOptionsFromJSON"`
}

// passkeyPlace refuses calls where browsers have no passkeys of the admin origin.
func (a *Access) passkeyPlace(c *api.Call) error {
	if a.passkeys == nil || c.Storefront != 0 {
		return ErrPasskeyOrigin.With("open the admin API at a name over https, or at localhost")
	}
	return nil
}

// passkeyUser reads the person of a call with their credentials.
func (a *Access) passkeyUser(ctx context.Context, c *api.Call) (*passkeyUser, error) {
	if err := a.passkeyPlace(c); err != nil {
		return nil, err
	}
	person, err := a.account(ctx, c)
	if err != nil {
		return nil, err
	}
	user := &passkeyUser{Person: person}
	user.credentials, err = people.CredentialsOf(ctx, a.store, person.ID)
	return user, err
}

func (a *Access) beginPasskey(ctx context.Context, c *api.Call, _ api.None) (out api.Result[passkeyOptions], err error) {
	user, err := a.passkeyUser(ctx, c)
	if err != nil {
		return out, err
	}
	if len(user.credentials) >= people.MaxPasskeys {
		return out, people.ErrPasskeyLimit
	}
	options, session, err := a.passkeys.BeginRegistration(user,
		webauthn.WithExclusions(webauthn.Credentials(user.WebAuthnCredentials()).CredentialDescriptors()))
	if err != nil {
		return out, err
	}
	return a.challenge(ctx, user.ID, session, options.Response)
}

// challenge stores the challenge of a ceremony and returns its options.
func (a *Access) challenge(ctx context.Context, person shop.UserID, session *webauthn.SessionData, options any) (out api.Result[passkeyOptions], err error) {
	data, err := json.Marshal(session)
	if err != nil {
		return out, err
	}
	if out.Result.PublicKey, err = json.Marshal(options); err != nil {
		return out, err
	}
	return out, people.AddChallenge(ctx, a.store, secret.Hash(session.Challenge), person, data, a.now().Add(challengeLifetime))
}

// answered uses up the challenge that a device has signed.
func (a *Access) answered(ctx context.Context, person shop.UserID, by protocol.CollectedClientData) (session webauthn.SessionData, err error) {
	data, found, err := people.UseChallenge(ctx, a.store, secret.Hash(by.Challenge), person, a.now())
	switch {
	case err != nil:
		return session, err
	case !found:
		return session, ErrPasskeyInvalid.With("the challenge is unknown, used or older than 5 minutes; begin again")
	}
	return session, json.Unmarshal(data, &session)
}

type newPasskey struct {
	passkeyResponse
	Name string `json:"name" doc:"to recognize the device by; empty: passkey"`
}

// finishPasskey adds a passkey. Its device has verified who is there, so the session counts as
// signed in with it.
func (a *Access) finishPasskey(ctx context.Context, c *api.Call, in newPasskey) (out api.Result[people.Passkey], err error) {
	user, err := a.passkeyUser(ctx, c)
	if err != nil {
		return out, err
	}
	if in.Name, err = passkeyName(in.Name); err != nil {
		return out, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(in.attestation())
	if err != nil {
		return out, ErrPasskeyInvalid.With("this is not the answer of a device to register/begin")
	}
	session, err := a.answered(ctx, user.ID, parsed.Response.CollectedClientData)
	if err != nil {
		return out, err
	}
	made, err := a.passkeys.CreateCredential(user, session, parsed)
	if err != nil {
		return out, ErrPasskeyInvalid.With(passkeyFault(err))
	}
	now := a.now().UTC().Truncate(time.Second)
	out.Result = people.Passkey{Name: in.Name, CreatedAt: now}
	if out.Result.ID, err = people.AddPasskey(ctx, a.store, people.Credential{
		Person: user.ID, ID: made.ID, PublicKey: made.PublicKey, SignCount: made.Authenticator.SignCount, BackupEligible: made.Flags.BackupEligible,
	}, in.Name, now); err != nil {
		return out, err
	}
	return out, people.ProveSession(ctx, a.store, secret.Hash(c.Token()), true, now)
}

// passkeyFault says what a check of package webauthn has found, without its internals.
func passkeyFault(err error) string {
	if fault, ok := err.(*protocol.Error); ok { //nolint:errorlint // the package does not wrap it
		return fault.Details
	}
	return "the signature could not be checked"
}

func passkeyName(name string) (string, error) {
	name, err := checkName(name)
	return cmp.Or(name, "passkey"), err
}

// beginSignIn offers a challenge to anyone: the device knows whose passkeys it has.
func (a *Access) beginSignIn(ctx context.Context, c *api.Call, _ api.None) (out api.Result[passkeyOptions], err error) {
	if err := a.passkeyPlace(c); err != nil {
		return out, err
	}
	if _, wait := a.signIns.Take(c.Network()); wait > 0 {
		return out, ErrTooManyAttempts.With("too many sign-ins").RetryAfter(budget.Seconds(wait))
	}
	options, session, err := a.passkeys.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return out, err
	}
	return a.challenge(ctx, 0, session, options.Response)
}

type passkeySignIn struct {
	passkeyResponse
	keeping
}

// finishSignIn opens a session for the person of a passkey. The device has verified them, so no
// other factor is asked for.
func (a *Access) finishSignIn(ctx context.Context, c *api.Call, in passkeySignIn) (none api.Result[sessionView], err error) {
	if err := a.passkeyPlace(c); err != nil {
		return none, err
	}
	if err := in.check(a, c); err != nil {
		return none, err
	}
	person, err := a.byPasskey(ctx, in.passkeyResponse)
	if err != nil {
		return none, err
	}
	if err := a.mergeGuest(ctx, c, person.ID); err != nil {
		return none, err
	}
	return a.openWith(ctx, c, person, in.keeping, people.NewSession{Passkey: true})
}

// byPasskey returns the person whose passkey has signed a challenge of beginSignIn.
func (a *Access) byPasskey(ctx context.Context, in passkeyResponse) (p people.Person, err error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(in.assertion())
	if err != nil {
		return p, ErrPasskeyInvalid.With("this is not the answer of a device to login/begin")
	}
	session, err := a.answered(ctx, 0, parsed.Response.CollectedClientData)
	if err != nil {
		return p, err
	}
	user := &passkeyUser{}
	if id, err := strconv.ParseInt(string(parsed.Response.UserHandle), 10, 32); err == nil {
		user.ID = shop.UserID(id)
	}
	if user.credentials, err = people.CredentialsOf(ctx, a.store, user.ID); err != nil {
		return p, err
	}
	_, used, err := a.passkeys.ValidatePasskeyLogin(func(_, _ []byte) (webauthn.User, error) { return user, nil }, session, parsed)
	if err != nil {
		return p, ErrPasskeyInvalid.With(passkeyFault(err))
	}
	ok, err := people.UsePasskey(ctx, a.store, people.Credential{Person: user.ID, ID: used.ID, SignCount: parsed.Response.AuthenticatorData.Counter}, a.now())
	if err == nil && !ok {
		err = ErrPasskeyInvalid.With("the device has counted further before; the passkey may have been copied")
	}
	if err != nil {
		return p, err
	}
	return people.GetPerson(ctx, a.store, user.ID)
}

func (a *Access) ownPasskeys(ctx context.Context, c *api.Call, _ api.None) (out api.Result[[]people.Passkey], err error) {
	if err := onAdminOrigin(c); err != nil {
		return out, err
	}
	out.Result, err = people.Passkeys(ctx, a.store, c.Person)
	return out, err
}

type passkeyPath struct {
	ID shop.PasskeyID `path:"id" json:"-"`
}

func (a *Access) getPasskey(ctx context.Context, c *api.Call, in passkeyPath) (out api.Result[people.Passkey], err error) {
	if err := onAdminOrigin(c); err != nil {
		return out, err
	}
	out.Result, err = people.GetPasskey(ctx, a.store, c.Person, in.ID)
	return out, err
}

type passkeyRename struct {
	passkeyPath
	api.Basis
	Name string `json:"name" required:"always"`
}

func (a *Access) renamePasskey(ctx context.Context, c *api.Call, in passkeyRename) (none api.None, err error) {
	if err := onAdminOrigin(c); err != nil {
		return none, err
	}
	if in.Name = strings.TrimSpace(in.Name); in.Name == "" {
		return none, ErrNameRequired.At("name")
	}
	if in.Name, err = checkName(in.Name); err != nil {
		return none, err
	}
	return none, people.RenamePasskey(ctx, a.store, c.Person, in.ID, in.Name, c.CheckBasis)
}

func (a *Access) removePasskey(ctx context.Context, c *api.Call, in passkeyPath) (none api.None, err error) {
	if err := onAdminOrigin(c); err != nil {
		return none, err
	}
	return none, people.RemovePasskey(ctx, a.store, c.Person, in.ID)
}
