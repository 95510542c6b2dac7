package payment

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"vitrine/internal/pay"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// sandbox is a provider simulated by the platform, for shops that are not open yet: buyers choose
// the outcome of a payment on its page, and it has the faults of real providers.
type sandbox struct {
	store   *store.Store
	company shop.CompanyID
	origin  string // origin of its pages
	now     func() time.Time
}

// sandboxPath is the path of the page of a payment.
const sandboxPath = "/v1/sandbox/{company_id}/{ref}"

func (s sandbox) write(ctx context.Context, fn func(tx *store.Tx) error) error {
	return s.store.Write(ctx, s.company, fn)
}

// Start starts a payment.
func (s sandbox) Start(ctx context.Context, a pay.Attempt) (out pay.Started, err error) {
	err = s.write(ctx, func(tx *store.Tx) error {
		p, err := sales.BeginSandboxPayment(ctx, tx, sales.SandboxPayment{
			Ref: "sb_" + rand.Text(), Key: a.Key, Payment: a.Payment, Title: a.Title, AmountMinor: a.Amount, Currency: a.Currency, ReturnURL: a.ReturnURL,
		})
		out = pay.Started{Ref: p.Ref, URL: fmt.Sprintf("%s/v1/sandbox/%d/%s", s.origin, s.company, p.Ref)}
		return err
	})
	return out, err
}

// Fetch returns the state of a payment. A late payment is open until its time has come.
func (s sandbox) Fetch(ctx context.Context, ref string) (seen pay.Status, err error) {
	p, found, err := sales.GetSandboxPayment(ctx, s.store.Shop(s.company), ref)
	switch {
	case err != nil:
		return seen, err
	case !found:
		return seen, fmt.Errorf("%w: there is no such payment", pay.ErrRefused)
	}
	seen = pay.Status{Ref: p.Ref, State: pay.State(p.State), Amount: p.AmountMinor, Currency: p.Currency, Refunded: p.Refunded, Payment: p.Payment}
	if s.now().Before(p.SeenFrom) {
		seen.State = pay.Open
	}
	return seen, nil
}

// Refund refunds a payment.
func (s sandbox) Refund(ctx context.Context, r pay.Refund) error {
	done := false
	err := s.write(ctx, func(tx *store.Tx) (err error) {
		done, err = sales.RefundSandboxPayment(ctx, tx, r.Ref, r.Amount)
		return err
	})
	if err == nil && !done {
		return fmt.Errorf("%w: the payment was not paid", pay.ErrRefused)
	}
	return err
}

// sandboxNotice is the body of a notification of the sandbox; it is not signed.
type sandboxNotice struct {
	Ref   string `json:"ref"`
	State string `json:"state"`
}

// Notify parses a notification.
func (s sandbox) Notify(_ pay.Header, body []byte, _ time.Time) (pay.Notification, error) {
	var n sandboxNotice
	if json.Unmarshal(body, &n) != nil || n.Ref == "" || len(n.Ref) > 64 {
		return pay.Notification{}, pay.ErrForged
	}
	return pay.Notification{Ref: n.Ref}, nil
}
