package company

import (
	"context"
	"regexp"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

type stateRequest struct {
	Closed *bool  `json:"closed" required:"always" doc:"whether visitors need the PIN"`
	PIN    string `json:"pin" len:"body" doc:"4 to 12 digits; if the shop is closed already it may be left out to keep the PIN"`
}

func (s *Shops) setState(ctx context.Context, c *api.Call, in stateRequest) (out api.Result[orgView], err error) {
	switch {
	case c.Role != shop.Owner: // before the PIN is hashed, which is slow
		return out, errOwner
	case in.Closed == nil:
		return out, shop.ErrInvalidRequest.At("closed").With("true or false")
	}
	hash := ""
	if *in.Closed && in.PIN != "" {
		if hash, err = s.hashPIN(ctx, in.PIN); err != nil {
			return out, err
		}
	}
	err = s.write(ctx, c, func(tx *store.Tx) error {
		if *in.Closed && hash == "" {
			info, err := companydb.Info(ctx, tx.Reader)
			if err == nil && !info.Closed {
				err = ErrPINInvalid.At("pin").With("a shop is closed with a PIN of 4 to 12 digits")
			}
			return err
		}
		return companydb.SetClosed(ctx, tx, *in.Closed, hash)
	})
	return s.changed(ctx, c, err)
}

// Close closes a shop to visitors without the PIN.
func (s *Shops) Close(ctx context.Context, company shop.CompanyID, pin string) error {
	hash, err := s.hashPIN(ctx, pin)
	if err != nil {
		return err
	}
	return s.Store.Write(ctx, company, func(tx *store.Tx) error { return companydb.SetClosed(ctx, tx, true, hash) })
}

// Open opens a closed shop.
func (s *Shops) Open(ctx context.Context, company shop.CompanyID) error {
	return s.Store.Write(ctx, company, func(tx *store.Tx) error { return companydb.SetClosed(ctx, tx, false, "") })
}

var pinForm = regexp.MustCompile(`^[0-9]{4,12}$`)

func (s *Shops) hashPIN(ctx context.Context, pin string) (string, error) {
	if !pinForm.MatchString(pin) {
		return "", ErrPINInvalid.At("pin").With("a PIN must have 4 to 12 digits")
	}
	return s.Hash(ctx, pin)
}

type slugRequest struct {
	Slug string `json:"slug" required:"always" len:"body" doc:"first label of the shop's host"`
}

func (s *Shops) setSlug(ctx context.Context, c *api.Call, in slugRequest) (out api.Result[orgView], err error) {
	if err := s.CheckSlug(in.Slug); err != nil {
		return out, err
	}
	err = s.write(ctx, c, func(tx *store.Tx) error { return companydb.Rename(ctx, tx, in.Slug, "") })
	return s.changed(ctx, c, err)
}

// Rename gives a shop another slug, another name or both; an empty one stays.
func (s *Shops) Rename(ctx context.Context, company shop.CompanyID, slug, name string) (err error) {
	if slug != "" {
		if err := s.CheckSlug(slug); err != nil {
			return err
		}
	}
	if name != "" {
		if name, err = checkName(name); err != nil {
			return err
		}
	}
	return s.Store.Write(ctx, company, func(tx *store.Tx) error { return companydb.Rename(ctx, tx, slug, name) })
}

type currencyRequest struct {
	Currency string `json:"currency" required:"always" len:"body" doc:"ISO code, such as EUR; it must allow the digits of the shop's prices"`
}

type currencyView struct {
	orgView
	MethodsOff []string `json:"payment_methods_off" doc:"methods that cannot charge the currency, so they were switched off"`
}

func (s *Shops) setCurrency(ctx context.Context, c *api.Call, in currencyRequest) (out api.Result[currencyView], err error) {
	off := []string{}
	err = s.write(ctx, c, func(tx *store.Tx) (err error) {
		off, err = s.changeCurrency(ctx, tx, in.Currency)
		return err
	})
	org, err := s.changed(ctx, c, err)
	return api.Wrap(currencyView{org.Result, off}), err
}

// ChangeCurrency changes the currency of a shop and returns the payment methods that were switched
// off because they cannot charge it.
func (s *Shops) ChangeCurrency(ctx context.Context, company shop.CompanyID, currency string) (off []string, err error) {
	err = s.Store.Write(ctx, company, func(tx *store.Tx) (err error) {
		off, err = s.changeCurrency(ctx, tx, currency)
		return err
	})
	return off, err
}

func (s *Shops) changeCurrency(ctx context.Context, tx *store.Tx, currency string) (off []string, err error) {
	info, err := companydb.Info(ctx, tx.Reader)
	if err != nil || info.Currency == currency {
		return []string{}, err
	}
	if err := CheckCurrency(currency, info.PriceDigits); err != nil {
		return nil, err
	}
	off, err = s.SetCurrency(ctx, tx, currency)
	return append([]string{}, off...), err
}

// changed returns the shop after a change.
func (s *Shops) changed(ctx context.Context, c *api.Call, err error) (out api.Result[orgView], _ error) {
	if err != nil {
		return out, err
	}
	return s.org(ctx, c, api.None{})
}
