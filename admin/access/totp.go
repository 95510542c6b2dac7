package access

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// Authenticator apps show a code of six digits for each step of 30 seconds (RFC 6238). The
// codes of the steps before and after the present one are accepted too, because clocks differ,
// each of them once.
const (
	totpPeriod = 30 // seconds
	totpSkew   = 1  // steps
	totpIssuer = "vitrine"
)

type totpView struct {
	Secret string `json:"secret" doc:"in base32, to type into the app"`
	URI    string `json:"uri" doc:"otpauth:// address, to show as a QR code"`
}

// addTOTP makes the secret of an app, which counts once the app has shown a right code.
func (a *Access) addTOTP(ctx context.Context, c *api.Call, _ api.None) (out api.Result[totpView], err error) {
	person, err := a.account(ctx, c)
	if err != nil {
		return out, err
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: totpIssuer, AccountName: person.Email, Period: totpPeriod})
	if err != nil {
		return out, err
	}
	if err := people.AddTOTP(ctx, a.store, person.ID, a.sealer.Seal([]byte(key.Secret()), totpOwner(person.ID))); err != nil {
		return out, err
	}
	return api.Wrap(totpView{key.Secret(), key.URL()}), nil
}

// account returns the signed-in person, who must have an account, on the admin origin.
func (a *Access) account(ctx context.Context, c *api.Call) (people.Person, error) {
	if err := onAdminOrigin(c); err != nil {
		return people.Person{}, err
	}
	person, err := people.GetPerson(ctx, a.store, c.Person)
	if err == nil && person.Guest() {
		err = api.ErrRole.With("a guest has no account; register first")
	}
	return person, err
}

type totpCode struct {
	Code string `json:"code" len:"body"`
}

type recoveryView struct {
	Codes []string `json:"recovery_codes" doc:"ten codes to sign in with when the app is lost, shown only now; each is valid once"`
}

// confirmTOTP makes the app the second factor. The sessions that are open stay.
func (a *Access) confirmTOTP(ctx context.Context, c *api.Call, in totpCode) (out api.Result[recoveryView], err error) {
	person, err := a.account(ctx, c)
	if err != nil {
		return out, err
	}
	sealed, err := people.TOTP(ctx, a.store, person.ID, false)
	if err != nil {
		return out, err
	}
	var step int64
	err = a.guessFactor(ctx, pairOf(c, person.Email), func() (right bool, err error) {
		step, right, err = a.totpStep(person.ID, sealed, in.Code)
		return right, err
	})
	if err != nil {
		return out, err
	}
	codes, hashes, err := a.newRecoveryCodes(ctx)
	if err != nil {
		return out, err
	}
	err = people.ConfirmTOTP(ctx, a.store, person.ID, sealed, step, hashes, a.now())
	return api.Wrap(recoveryView{codes}), err
}

type totpRemoval struct {
	Code string `json:"code" len:"body" doc:"a code of the app, or a recovery code"`
}

func (a *Access) removeTOTP(ctx context.Context, c *api.Call, in totpRemoval) (none api.None, err error) {
	person, err := a.account(ctx, c)
	if err != nil {
		return none, err
	}
	if _, err := people.TOTP(ctx, a.store, person.ID, true); err != nil {
		return none, err
	}
	err = a.guessFactor(ctx, pairOf(c, person.Email), func() (bool, error) {
		if secret.IsCode(in.Code) {
			return a.useTOTP(ctx, person.ID, in.Code)
		}
		return a.useRecoveryCode(ctx, person.ID, in.Code)
	})
	if err != nil {
		return none, err
	}
	return none, people.RemoveTOTP(ctx, a.store, person.ID)
}

// useTOTP compares a code with those of a person's app and uses it up.
func (a *Access) useTOTP(ctx context.Context, who shop.UserID, code string) (bool, error) {
	sealed, err := people.TOTP(ctx, a.store, who, true)
	if errors.Is(err, people.ErrTOTPNotFound) { // removed meanwhile
		return false, nil
	}
	if err != nil {
		return false, err
	}
	step, right, err := a.totpStep(who, sealed, code)
	if err != nil || !right {
		return false, err
	}
	return people.UseStep(ctx, a.store, who, step, a.step()-totpSkew)
}

// totpStep returns the step of a code. It compares with every accepted step, so that its time
// tells nothing.
func (a *Access) totpStep(who shop.UserID, sealed []byte, code string) (step int64, right bool, err error) {
	key, err := a.sealer.Open(sealed, totpOwner(who))
	if err != nil {
		return 0, false, err
	}
	now := a.step()
	for at := now - totpSkew; at <= now+totpSkew; at++ {
		want, err := hotp.GenerateCodeCustom(string(key), uint64(at), hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err != nil {
			return 0, false, err
		}
		if secret.Equal([]byte(want), []byte(code)) {
			step, right = cmp.Or(step, at), true
		}
	}
	return step, right, nil
}

func (a *Access) step() int64 { return a.now().Unix() / totpPeriod }

// totpOwner is what the secret of a person's app is sealed for.
func totpOwner(person shop.UserID) string { return "totp " + strconv.Itoa(int(person)) }
