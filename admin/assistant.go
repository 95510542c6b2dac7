package admin

import (
	"cmp"

	"vitrine/admin/assist"
	"vitrine/admin/assist/ucp"
	"vitrine/admin/payment"
	"vitrine/internal/outbound"
)

// serveAssistants adds the protocols of assistants to the router.
func (a *Admin) serveAssistants(cfg Config, engine *assist.Assist, payments *payment.Payments) {
	if cfg.Profiles == nil {
		cfg.Profiles = outbound.New(outbound.ForProfiles())
	}
	commerce := ucp.New(ucp.Config{
		Store: cfg.Store, Now: cfg.Now, Fetch: cfg.Profiles.Do, Sealer: cfg.Sealer, Assist: engine, Namespace: cmp.Or(cfg.Namespace, "localhost.vitrine"),
		Methods: payments.Methods, Cards: payments.HandlerOf,
	})
	for _, route := range commerce.Routes() {
		a.router.Handle(route.Row.Method, route.Row.Path, a.server.Protocol(route.Row, route.Answer))
	}
}
