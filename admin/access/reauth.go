package access

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/store/people"
)

type reauthRequest struct {
	Password string `json:"password" len:"body"`
	TOTP     string `json:"totp" len:"body" doc:"a code of the authenticator app, instead of the password"`

	Passkey *passkeyResponse `json:"passkey" doc:"the answer of a device to passkeys/login/begin, instead of the password"`
}

type proofView struct {
	FreshUntil time.Time `json:"fresh_until" doc:"when sensitive calls of this session are refused with REAUTH_REQUIRED again"`
}

// reauth proves once more who is calling, so that the session may make sensitive calls.
func (a *Access) reauth(ctx context.Context, c *api.Call, in reauthRequest) (out api.Result[proofView], err error) {
	person, err := a.account(ctx, c)
	if err != nil {
		return out, err
	}
	who := pairOf(c, person.Email)
	switch {
	case in.Passkey != nil:
		err = a.ownPasskey(ctx, c, *in.Passkey)
	case in.TOTP != "":
		has, ferr := people.FactorsOf(ctx, a.store, person.ID)
		if ferr != nil {
			return out, ferr
		}
		err = a.guessFactor(ctx, who, func() (bool, error) {
			if !has.App {
				return false, nil
			}
			return a.useTOTP(ctx, person.ID, in.TOTP)
		})
	case len(in.Password) > maxPassword:
		err = errWrong
	default:
		err = a.verify(ctx, who, func() (string, error) { return person.PasswordHash, nil }, in.Password)
	}
	if err != nil {
		return out, err
	}
	now := a.now().UTC()
	if err := people.ProveSession(ctx, a.store, secret.Hash(c.Token()), in.Passkey != nil, now); err != nil {
		return out, err
	}
	return api.Wrap(proofView{now.Add(freshFor).Truncate(time.Second)}), nil
}

// ownPasskey checks a passkey of the person of the session.
func (a *Access) ownPasskey(ctx context.Context, c *api.Call, in passkeyResponse) error {
	if err := a.passkeyPlace(c); err != nil {
		return err
	}
	person, err := a.byPasskey(ctx, in)
	if err == nil && person.ID != c.Person {
		err = ErrPasskeyInvalid.With("this is the passkey of another person")
	}
	return err
}
