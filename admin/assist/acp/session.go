package acp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"vitrine/admin/api/body"
	"vitrine/admin/assist"
	"vitrine/internal/pay"
	assistdb "vitrine/internal/store/assist"
)

func (a *ACP) create(ctx context.Context, r *request) (*session, error) {
	d, err := first(r.body)
	if err != nil {
		return nil, err
	}
	s, err := read(d)
	if err != nil {
		return nil, err
	}
	if s.Currency == "" {
		return nil, bad(400, "missing", "the currency is missing").at("$.currency")
	}
	if s.Capabilities == nil {
		return nil, bad(400, "missing", "capabilities are missing; they may be {}").at("$.capabilities")
	}
	if !strings.EqualFold(s.Currency, r.shop.Company.Currency) {
		return nil, bad(400, "invalid", "the shop sells in "+r.shop.Company.Currency).at("$.currency")
	}
	in, err := s.input(d)
	if err != nil {
		return nil, err
	}
	st, err := a.Assist.Create(ctx, r.caller, assistdb.Checkout, in, "")
	if err != nil {
		return nil, sessionFault(err)
	}
	return a.shown(r, st)
}

func (a *ACP) get(ctx context.Context, r *request) (*session, error) {
	st, err := a.Assist.Get(ctx, r.caller, assistdb.Checkout, r.call.PathValue("id"))
	if err != nil {
		return nil, sessionFault(err)
	}
	s, err := a.shown(r, st)
	if err == nil && st.Order != nil {
		var o *assist.Ordered
		if o, err = a.Assist.Ordered(ctx, r.shop.Company, st); err == nil {
			s.Order = orderOf(o)
		}
	}
	return s, err
}

func (a *ACP) update(ctx context.Context, r *request) (*session, error) {
	st, err := a.change(ctx, r, r.body)
	if err != nil {
		return nil, err
	}
	return a.shown(r, st)
}

// change merges a change into what was stated about the session.
func (a *ACP) change(ctx context.Context, r *request, change []byte) (*assist.State, error) {
	var checked updateRequest
	if _, err := updateShape.Read(change, &checked, body.Rules{}); err != nil {
		return nil, badBody(err)
	}
	st, err := a.Assist.Replace(ctx, r.caller, assistdb.Checkout, r.call.PathValue("id"), func(was assist.Input) (in assist.Input, err error) {
		d, err := merge(was.Face, change)
		if err != nil {
			return in, err
		}
		s, err := read(d)
		if err != nil {
			return in, err
		}
		return s.input(d)
	})
	return st, sessionFault(err)
}

// complete buys what the session holds. Where what is stated about the buyer now changes the total, nothing
// is bought: the assistant sees the new one first.
func (a *ACP) complete(ctx context.Context, r *request) (*session, error) {
	var in completeRequest
	if _, err := completeShape.Read(r.body, &in, body.Rules{}); err != nil {
		return nil, badBody(err)
	}
	with, err := in.Payment.with(r.card)
	if err != nil {
		return nil, err
	}
	id := r.call.PathValue("id")
	change, changes, err := lastWords(r.body)
	if err != nil {
		return nil, err
	}
	if changes {
		before, err := a.Assist.Get(ctx, r.caller, assistdb.Checkout, id)
		if err != nil {
			return nil, sessionFault(err)
		}
		now, err := a.change(ctx, r, change)
		if err != nil {
			return nil, err
		}
		if now.Total != before.Total {
			now.Problems = append(now.Problems, assist.Problem{
				Code: assist.PriceChanged, Field: "total", Line: -1, Text: "The total has changed. Nothing was ordered.", Severity: assist.Recoverable,
			})
			return a.shown(r, now)
		}
	}
	st, err := a.Assist.Complete(ctx, r.caller, id, with)
	switch {
	case errors.Is(err, assist.ErrPayment):
		return nil, bad(400, "invalid", "pay with one of capabilities.payment.handlers").at("$.payment_data")
	case err != nil:
		return nil, sessionFault(err)
	}
	return a.shown(r, st)
}

// lastWords returns the part of a completion that is a change of the session.
func lastWords(text []byte) (change document, changes bool, err error) {
	var sent map[string]json.RawMessage
	if len(text) > 0 {
		if err := json.Unmarshal(text, &sent); err != nil {
			return nil, false, bad(400, "invalid", "the body is not a JSON object")
		}
	}
	said := map[string]json.RawMessage{}
	for _, name := range []string{"buyer", "order_notes", "marketing_consents"} {
		if value, ok := sent[name]; ok && string(value) != "null" {
			said[name] = value
		}
	}
	change, err = json.Marshal(said)
	return change, len(said) > 0, err
}

// with returns what the buyer pays with.
func (p *paymentData) with(card pay.Handler) (with assist.Payment, err error) {
	switch {
	case p == nil:
		return with, nil
	case p.Handler == manualHandler:
		return assist.Payment{Offline: true}, nil
	case p.Handler != cardHandler, !tokens(card):
		return with, bad(400, "invalid", "pay with one of capabilities.payment.handlers").at("$.payment_data.handler_id")
	case p.Instrument == nil || p.Instrument.Credential == nil || p.Instrument.Credential.Token == "":
		return with, bad(400, "missing", "the instrument has no credential").at("$.payment_data.instrument.credential")
	case p.Instrument.Credential.Type != "spt":
		return with, bad(400, "invalid", "the shop takes shared payment tokens: type spt").at("$.payment_data.instrument.credential.type")
	}
	return assist.Payment{Card: pay.Instrument{Kind: pay.SharedToken, Token: p.Instrument.Credential.Token}}, nil
}

func (a *ACP) cancel(ctx context.Context, r *request) (*session, error) {
	st, err := a.Assist.Cancel(ctx, r.caller, assistdb.Checkout, r.call.PathValue("id"))
	if errors.Is(err, assist.ErrEnded) {
		return nil, bad(405, "not_cancelable", "the session is completed, canceled or expired")
	}
	if err != nil {
		return nil, sessionFault(err)
	}
	return a.shown(r, st)
}

// sessionFault puts the refusals of sessions into the words of the protocol.
func sessionFault(err error) error {
	switch {
	case errors.Is(err, assist.ErrNothingToBuy):
		return bad(400, "not_found", "none of the items can be bought").at("$.line_items")
	case errors.Is(err, assist.ErrNotFound):
		return bad(404, "not_found", "there is no such session")
	case errors.Is(err, assist.ErrEnded):
		return bad(409, "conflict", "the session is completed, canceled or expired")
	}
	return err
}
