package ucp

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"vitrine/admin/assist"
	"vitrine/internal/lru"
	"vitrine/internal/pay"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

// Names of handlers of payments.
const (
	offlineID     = "manual"
	googleName    = "com.google.pay"
	googleID      = "stripe-gpay"
	googleVersion = "2026-01-23"
)

// Handler is a way to pay.
type Handler struct {
	ID          string              `json:"id"`
	Version     string              `json:"version"`
	Instruments []InstrumentOffered `json:"available_instruments,omitempty"`
	Config      any                 `json:"config,omitempty"`
}

// InstrumentOffered is a kind of instrument that a handler takes.
type InstrumentOffered struct {
	Type string `json:"type"`
}

// handlers lists how a platform can pay a session; none for a session that costs nothing.
func (r *request) handlers(s *assist.State) map[string][]Handler {
	list := map[string][]Handler{}
	if s.Total == 0 {
		return list
	}
	return r.ucp.handlersOf(s.Methods, r.platform, r.cards)
}

// handlersOf lists the handlers of a shop with these methods; for a platform only those that it has.
func (u *UCP) handlersOf(methods []sales.PaymentMethod, platform *Platform, cards pay.Handler) map[string][]Handler {
	list := map[string][]Handler{}
	if slices.ContainsFunc(methods, func(m sales.PaymentMethod) bool { return m.IsActive && m.Method == sales.ManualMethod }) {
		list[u.Assist.Namespace+".offline"] = []Handler{{ID: offlineID, Version: Version, Instruments: []InstrumentOffered{{"offline"}}}}
	}
	if takesGoogle(platform, cards) {
		list[googleName] = []Handler{{ID: googleID, Version: googleVersion, Instruments: []InstrumentOffered{{"card"}}, Config: googleConfig(cards)}}
	}
	return list
}

// takesGoogle reports whether a platform can pay with Google Pay; nil stands for one that can.
func takesGoogle(platform *Platform, cards pay.Handler) bool {
	return cards.PublishableKey != "" && (platform == nil || slices.Contains(platform.Handlers[googleName], googleVersion))
}

// googleConfig is what Google Pay needs to make a token for the shop's account at Stripe.
func googleConfig(h pay.Handler) any {
	environment := "TEST"
	if h.Live {
		environment = "PRODUCTION"
	}
	return map[string]any{
		"api_version": 2, "api_version_minor": 0, "environment": environment,
		"merchant_info": map[string]string{"merchant_name": h.MerchantName, "merchant_id": h.GoogleMerchantID},
		"allowed_payment_methods": []any{map[string]any{
			"type": "CARD",
			"parameters": map[string]any{
				"allowed_auth_methods":  []string{"PAN_ONLY", "CRYPTOGRAM_3DS"},
				"allowed_card_networks": []string{"AMEX", "DISCOVER", "JCB", "MASTERCARD", "VISA"},
			},
			"tokenization_specification": map[string]any{
				"type": "PAYMENT_GATEWAY",
				"parameters": map[string]string{
					"gateway": "stripe", "stripe:version": pay.StripeVersion, "stripe:publishableKey": h.PublishableKey,
				},
			},
		}},
	}
}

type completeRequest struct {
	Payment struct {
		Instruments []instrument `json:"instruments" max:"10"`
	} `json:"payment"`
}

// instrument is what the buyer pays with. Its credential is neither stored nor logged nor answered.
type instrument struct {
	ID         string `json:"id"`
	Handler    string `json:"handler_id" required:"always"`
	Type       string `json:"type"`
	Selected   *bool  `json:"selected"`
	Credential *struct {
		Type  string `json:"type"`
		Token string `json:"token" len:"body"`
	} `json:"credential"`
}

// payment returns the selected instrument, else the first.
func (r *request) payment(c completeRequest) (p assist.Payment, err error) {
	list := c.Payment.Instruments
	if len(list) == 0 {
		return p, nil
	}
	i := list[max(slices.IndexFunc(list, func(i instrument) bool { return i.Selected != nil && *i.Selected }), 0)]
	switch {
	case i.Handler == offlineID:
		p.Offline = true
	case i.Handler == googleID && takesGoogle(r.platform, r.cards) && i.Credential != nil && json.Valid([]byte(i.Credential.Token)):
		p.Card = pay.Instrument{Kind: pay.GooglePay, Token: i.Credential.Token}
	default:
		return p, errRequest.with("payment.instruments has none that the shop takes")
	}
	return p, nil
}

// cardHandlers keeps what shops offer to programs that pay with tokens, by the version of the shop.
type cardHandlers struct {
	*sync.Mutex
	cached *lru.Weighted[shop.CompanyID, versionedHandler]
}

type versionedHandler struct {
	version int64
	handler pay.Handler
}

func (u *UCP) cardsOf(ctx context.Context, r *request) (pay.Handler, error) {
	company := r.shop.Company
	u.cards.Lock()
	kept, known := u.cards.cached.Get(company.ID)
	u.cards.Unlock()
	if known && kept.version == company.Version {
		return kept.handler, nil
	}
	h, err := u.Assist.CardHandler(ctx, company.ID)
	if err != nil {
		return h, err
	}
	u.cards.Lock()
	defer u.cards.Unlock()
	u.cards.cached.Put(company.ID, versionedHandler{company.Version, h}, 1)
	return h, nil
}
