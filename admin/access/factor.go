package access

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"vitrine/admin/api"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
	"vitrine/internal/store/people"
)

// Refusals of second factors.
var (
	ErrFactorRequired = shop.Refuse(shop.Unauthenticated, "SECOND_FACTOR_REQUIRED").
				When("the person has a second factor: send the same call with totp or recovery_code, or sign in with a passkey; methods[] lists what they have")
	ErrFactorWrong = shop.Refuse(shop.Unauthenticated, "SECOND_FACTOR_INVALID").
			When("the code of the app or the recovery code is wrong, was used before, or its time is over")
)

// secondFactor is what a call that opens a session takes from people with a second factor.
type secondFactor struct {
	TOTP         string `json:"totp" len:"body" doc:"the code of six digits that the authenticator app shows, if SECOND_FACTOR_REQUIRED asks for it"`
	RecoveryCode string `json:"recovery_code" len:"body" doc:"one of the recovery codes instead; each is valid once"`
}

// pass checks the second factor of a person who has shown the first one. Every call that opens a
// session uses it. Nothing before it may reveal whether the person has one.
func (a *Access) pass(ctx context.Context, c *api.Call, who shop.UserID, email string, sent secondFactor) error {
	if who == 0 {
		return nil
	}
	has, err := people.FactorsOf(ctx, a.store, who)
	switch {
	case err != nil || !has.App:
		return err
	case sent.TOTP == "" && sent.RecoveryCode == "":
		return ErrFactorRequired.With("send totp or recovery_code").WithField("methods", methods(c, has))
	}
	return a.guessFactor(ctx, pairOf(c, email), func() (bool, error) {
		if sent.TOTP != "" {
			return a.useTOTP(ctx, who, sent.TOTP)
		}
		return a.useRecoveryCode(ctx, who, sent.RecoveryCode)
	})
}

// methods lists the ways to pass.
func methods(c *api.Call, has people.Factors) []string {
	list := []string{"totp"}
	if has.RecoveryCodes > 0 {
		list = append(list, "recovery_code")
	}
	if has.Passkeys > 0 && c.Storefront == 0 { // a shop's host is another origin
		list = append(list, "passkey")
	}
	return list
}

// guessFactor counts a comparison as a guess at an account's second factor. Only somebody with
// the first factor can make one.
func (a *Access) guessFactor(ctx context.Context, who pair, compare func() (bool, error)) error {
	made, err := a.guess(ctx, &a.factorGuesses, who)
	if err != nil {
		return err
	}
	right, err := compare()
	if right || err != nil {
		err = errors.Join(err, a.giveBack(ctx, made))
	}
	if !right || err != nil {
		return cmp.Or(err, error(ErrFactorWrong))
	}
	return nil
}

// recoveryCodes is how many codes a person gets.
const recoveryCodes = 10

// newRecoveryCodes returns recovery codes and the hashes under which they are stored.
func (a *Access) newRecoveryCodes(ctx context.Context) (codes []string, hashes [][]byte, err error) {
	for range recoveryCodes {
		code := secret.NewPassword()
		hash, err := a.recoveryHash(ctx, code)
		if err != nil {
			return nil, nil, err
		}
		codes, hashes = append(codes, code), append(hashes, hash)
	}
	return codes, hashes, nil
}

func (a *Access) useRecoveryCode(ctx context.Context, who shop.UserID, code string) (bool, error) {
	hash, err := a.recoveryHash(ctx, code)
	if err != nil {
		return false, err
	}
	return people.UseRecoveryCode(ctx, a.store, who, hash)
}

// recoveryHash is the stored form of a recovery code, however people type it.
func (a *Access) recoveryHash(ctx context.Context, code string) ([]byte, error) {
	key, err := a.store.Secret(ctx, "codes")
	if err != nil {
		return nil, err
	}
	code = strings.NewReplacer(" ", "", "-", "").Replace(strings.ToLower(code))
	return secret.CodeHash("recovery "+code, key), nil
}

// onAdminOrigin refuses calls on a shop's host, where scripts of its owner could send them.
func onAdminOrigin(c *api.Call) error {
	if c.Buyer || c.Storefront != 0 {
		return api.ErrRole.With("call this at the address of the admin API")
	}
	return nil
}
