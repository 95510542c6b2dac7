package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
)

// ErrResetInvalid does not tell why a link was refused.
var ErrResetInvalid = shop.Refuse(shop.Unauthenticated, "RESET_INVALID").
	When("the token of the link is wrong, used or expired; request another")

const (
	resetPath     = "/v1/auth/password/reset"
	resetLifetime = time.Hour
)

type forgotRequest struct {
	Email string `json:"email" required:"always" len:"254" refuse:"EMAIL_INVALID"`
}

// forgot sends a link for resetting the password to an address. For an address without an
// account it does the same work with a letter that has already expired: neither the response nor
// its timing reveals whether the address has an account.
func (a *Access) forgot(ctx context.Context, c *api.Call, in forgotRequest) (none api.None, err error) {
	email, err := checkEmail(in.Email)
	if err != nil {
		return none, err
	}
	if _, err := a.attempt(ctx, "code "+c.Network().String()); err != nil {
		return none, err
	}
	may, trusted, err := a.maySendLetter(ctx, c, email)
	if err != nil || !may {
		return none, err
	}
	person, found, err := people.PersonByEmail(ctx, a.store, email)
	if err != nil {
		return none, err
	}
	token, hash, err := secret.New(secret.Reset)
	if err != nil {
		return none, err
	}
	l, err := a.resetLetter(ctx, c, token)
	if err != nil {
		return none, err
	}
	if l.To, l.Trusted = email, trusted; found {
		l.To = person.Email
	} else {
		l.ExpiresAt = l.CreatedAt
	}
	err = people.SendReset(ctx, a.store, l, person.ID, hash)
	switch {
	case errors.Is(err, store.ErrTooManyLetters):
		return none, nil
	case err == nil && found:
		a.logLetter(ctx, l)
	}
	return none, err
}

// resetLetter writes the letter with the token. On a shop's host it links to the shop's page
// for resetting passwords; elsewhere there is no such page.
func (a *Access) resetLetter(ctx context.Context, c *api.Call, token string) (store.PlatformLetter, error) {
	way := fmt.Sprintf(`Send {"token": "%s", "password": "…"} to POST %s.`, token, a.urls.Admin+resetPath)
	lang, err := a.language(ctx, c.Storefront)
	if err != nil {
		return store.PlatformLetter{}, err
	}
	if c.Storefront != 0 {
		company, err := companydb.Info(ctx, a.store.Shop(c.Storefront))
		if err != nil {
			return store.PlatformLetter{}, err
		}
		way = a.urls.Storefront(company) + "/account/reset?token=" + token
	}
	now := a.now().UTC()
	return store.PlatformLetter{
		Kind: store.LetterReset, CreatedAt: now, ExpiresAt: now.Add(resetLifetime),
		Subject: resetWords[lang].subject, Text: fmt.Sprintf(resetWords[lang].text, way),
	}, nil
}

type resetRequest struct {
	Token    string `json:"token" required:"always" len:"body"`
	Password string `json:"password" required:"always" len:"256" refuse:"PASSWORD_TOO_SHORT" spaces:"kept"`
	secondFactor
	keeping
}

// reset sets the password of the link's holder and opens a session. A token has 178 bits, so
// guesses are not counted.
func (a *Access) reset(ctx context.Context, c *api.Call, in resetRequest) (none api.Result[sessionView], err error) {
	if err := in.check(a, c); err != nil {
		return none, err
	}
	if err := checkPassword("password", in.Password); err != nil {
		return none, err
	}
	if !secret.WellFormed(in.Token, secret.Reset) {
		return none, ErrResetInvalid
	}
	hash := secret.Hash(in.Token)
	of, found, err := people.ResetOf(ctx, a.store, hash, a.now())
	if err != nil || !found {
		return none, cmp.Or(err, error(ErrResetInvalid))
	}
	if of.Proven { // otherwise the link proves the address, and the account loses the second factor of whoever registered it
		if err := a.pass(ctx, c, of.ID, of.Email, in.secondFactor); err != nil {
			return none, err
		}
	}
	password, err := a.Hash(ctx, in.Password)
	if err != nil {
		return none, err
	}
	// Find the guest first: their session is about to end, and their cart is kept.
	guest, err := a.guestOf(ctx, c)
	if err != nil {
		return none, err
	}
	person, found, err := people.ResetPassword(ctx, a.store, hash, password, a.now())
	if err != nil || !found {
		return none, cmp.Or(err, error(ErrResetInvalid))
	}
	if guest != 0 {
		if _, err := people.JoinGuest(ctx, a.store, guest, person.ID); err != nil {
			return none, err
		}
	}
	return a.open(ctx, c, person, in.keeping)
}
