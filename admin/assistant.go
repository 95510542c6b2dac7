package admin

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vitrine/admin/assist"
	"vitrine/admin/assist/acp"
	"vitrine/admin/assist/seller"
	"vitrine/admin/assist/ucp"
	"vitrine/admin/payment"
	"vitrine/admin/webhook"
	"vitrine/internal/outbound"
	"vitrine/internal/secret"
	storeassist "vitrine/internal/store/assist"
)

// newUCP returns the protocol of assistants that have a profile.
func (a *Admin) newUCP(cfg Config, engine *assist.Assist, payments *payment.Payments) *ucp.UCP {
	if cfg.Profiles == nil {
		cfg.Profiles = outbound.New(outbound.ForProfiles())
	}
	return ucp.New(ucp.Config{
		Assist: engine, Fetch: cfg.Profiles.Do, Methods: payments.Methods, Buyer: a.Buyer,
	})
}

// serveAssistants adds the protocols of assistants to the router.
func (a *Admin) serveAssistants(cfg Config, engine *assist.Assist, payments *payment.Payments, commerce *ucp.UCP) {
	for _, route := range slices.Concat(commerce.Routes(), acp.New(engine).Routes()) {
		a.router.Handle(route.Row.Method, route.Row.Path, a.server.Protocol(route.Row, route.Answer))
	}
}

// announce makes the request that tells a platform of an order, in the form of its protocol.
func announce(assistants *assist.Assist, sealer *secret.Sealer, now func() time.Time) func(context.Context, webhook.OrderChange) (map[string]string, []byte, error) {
	return func(ctx context.Context, change webhook.OrderChange) (map[string]string, []byte, error) {
		o, err := assistants.OrderChanged(ctx, change.Company, change.Order)
		if err != nil {
			return nil, nil, err
		}
		switch storeassist.Protocol(change.Protocol) {
		case storeassist.UCP:
			return ucp.Announce(ctx, assistants.Keys, o, change.ID, change.URL, now())
		case storeassist.ACP:
			shared, err := sealer.Open(change.Sealed, seller.WebhookSealContext(change.Company, change.Platform))
			if err != nil {
				return nil, nil, err
			}
			return acp.Announce(string(shared), o, change.ID, change.What == "created", now())
		}
		return nil, nil, fmt.Errorf("announce: no protocol %q", change.Protocol)
	}
}
