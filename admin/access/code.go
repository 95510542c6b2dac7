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
	"vitrine/internal/store/people"
)

// ErrCodeWrong does not tell why a code was refused.
var ErrCodeWrong = shop.Refuse(shop.Unauthenticated, "CODE_INVALID").
	When("the code is wrong, used or expired, or was tried 5 times; request another")

const codeLifetime = 10 * time.Minute

type codeRequest struct {
	Email string `json:"email" required:"always" len:"254" refuse:"EMAIL_INVALID"`
}

// sendCode sends a code of six digits to an address. The response is the same whether the address
// has an account and whether the limit on letters was reached.
func (a *Access) sendCode(ctx context.Context, c *api.Call, in codeRequest) (api.None, error) {
	email, err := checkEmail(in.Email)
	if err != nil {
		return api.None{}, err
	}
	if _, err := a.attempt(ctx, "code "+c.Network().String()); err != nil {
		return api.None{}, err
	}
	may, trusted, err := a.maySendLetter(ctx, c, email)
	if err != nil || !may {
		return api.None{}, err
	}
	key, err := a.store.Secret(ctx, "codes")
	if err != nil {
		return api.None{}, err
	}
	lang, err := a.language(ctx, c.Storefront)
	if err != nil {
		return api.None{}, err
	}
	code, now := secret.NewCode(), a.now().UTC()
	l := store.PlatformLetter{
		Kind: store.LetterCode, To: email, CreatedAt: now, ExpiresAt: now.Add(codeLifetime), Trusted: trusted,
		Subject: fmt.Sprintf(codeWords[lang].subject, code), Text: fmt.Sprintf(codeWords[lang].text, code),
	}
	err = people.SendCode(ctx, a.store, l, secret.CodeHash(code, key))
	switch {
	case errors.Is(err, store.ErrTooManyLetters):
		return api.None{}, nil
	case err == nil:
		a.logLetter(ctx, l)
	}
	return api.None{}, err
}

type confirmRequest struct {
	Email    string `json:"email" required:"always" len:"254" refuse:"EMAIL_INVALID"`
	Code     string `json:"code" required:"always"`
	Password string `json:"password" len:"256" refuse:"PASSWORD_TOO_SHORT" spaces:"kept"` // optional new password; it ends all other sessions
	secondFactor
	keeping
}

// confirmCode opens a session for a caller with the code. The first code creates the account.
// An account registered before the address was proven loses its password and sessions, unless
// the code is confirmed in a session of that account.
func (a *Access) confirmCode(ctx context.Context, c *api.Call, in confirmRequest) (none api.Result[sessionView], err error) {
	if err := in.check(a, c); err != nil {
		return none, err
	}
	email, err := checkEmail(in.Email)
	if err != nil {
		return none, err
	}
	proof := people.Proof{Email: email, Now: a.now()}
	if in.Password != "" {
		if err := checkPassword("password", in.Password); err != nil {
			return none, err
		}
	}
	// An expired session counts as none: the code opens a new one.
	if who, err := a.Identify(ctx, c.Credentials()); err == nil && !who.ByKey() {
		proof.SignedIn = who.Person
	}
	if err := a.compare(ctx, &proof, in.Code); err != nil {
		return none, err
	}
	who, err := a.provenBy(ctx, proof)
	if err != nil {
		return none, err
	}
	if err := a.pass(ctx, c, who, email, in.secondFactor); err != nil {
		return none, err
	}
	if in.Password != "" {
		if proof.Password, err = a.Hash(ctx, in.Password); err != nil {
			return none, err
		}
	}
	person, found, err := people.ProveAddress(ctx, a.store, proof)
	if err != nil || !found {
		return none, cmp.Or(err, error(ErrCodeWrong))
	}
	if err := a.mergeGuest(ctx, c, person.ID); err != nil {
		return none, err
	}
	if err := people.AdoptOrders(ctx, a.store, c.Storefront, person.ID); err != nil {
		return none, err
	}
	return a.open(ctx, c, person, in.keeping)
}

// provenBy returns the account that a right code signs in to, if it can have a second factor that
// counts. That of an account whose address nobody has proven does not: whoever registered it loses
// the account to the owner of the address, and the second factor with it.
func (a *Access) provenBy(ctx context.Context, proof people.Proof) (shop.UserID, error) {
	person, found, err := people.PersonByEmail(ctx, a.store, proof.Email)
	switch {
	case err != nil:
		return 0, err
	case !found:
		return proof.SignedIn, nil // a new address of the person of the session
	case person.Proven || person.ID == proof.SignedIn:
		return person.ID, nil
	}
	return 0, nil
}

// compare checks a code against the one that was sent and puts its hash into the proof.
func (a *Access) compare(ctx context.Context, proof *people.Proof, code string) error {
	if !secret.IsCode(code) {
		return ErrCodeWrong
	}
	key, err := a.store.Secret(ctx, "codes")
	if err != nil {
		return err
	}
	sent, found, err := people.TryCode(ctx, a.store, proof.Email, proof.Now)
	proof.Hash = secret.CodeHash(code, key)
	if err != nil || !found || !secret.Equal(sent, proof.Hash) {
		return cmp.Or(err, error(ErrCodeWrong))
	}
	return nil
}
