package admin

import (
	"vitrine/admin/assist/ucp"
	"vitrine/internal/outbound"
)

// serveAssistants adds the protocols of assistants to the router.
func (a *Admin) serveAssistants(cfg Config) {
	if cfg.Profiles == nil {
		cfg.Profiles = outbound.New(outbound.ForProfiles())
	}
	commerce := ucp.New(ucp.Config{Store: cfg.Store, Now: cfg.Now, Fetch: cfg.Profiles.Do})
	for _, route := range commerce.Routes() {
		a.router.Handle(route.Row.Method, route.Row.Path, a.server.Protocol(route.Row, route.Answer))
	}
}
