package edge

import (
	"context"
	"errors"
	"net"

	"github.com/valyala/fasthttp"

	"vitrine/internal/gate"
	"vitrine/internal/shop"
)

// Plain configures the listener without TLS beside one with TLS: it redirects to https, and only
// for hosts of this platform.
type Plain struct {
	// Secure returns the origin of a host of a shop with TLS.
	Secure func(host string) string

	// Admin is the origin of the admin API, and AdminHost its host, which is redirected too. Empty:
	// it is not.
	Admin, AdminHost string

	// Challenge answers a certificate authority that checks a host (RFC 8555, 8.3). It returns
	// false without writing anything for other requests. Nil: nothing is answered.
	Challenge func(ctx *fasthttp.RequestCtx) bool
}

// ServeTLS is Serve for a listener with TLS.
func (s *Server) ServeTLS(l net.Listener, certs gate.Certificates) error {
	s.start()
	return s.gate.ServeTLS(l, certs)
}

// ServePlain redirects the requests of a listener without TLS until Shutdown.
func (s *Server) ServePlain(l net.Listener, cfg Plain) error {
	g := s.newGate(func(ctx *fasthttp.RequestCtx) {
		if cfg.Challenge == nil || !cfg.Challenge(ctx) {
			s.leadToTLS(ctx, cfg)
		}
	})
	s.life.Lock()
	s.plain = append(s.plain, g)
	down := s.down
	s.life.Unlock()
	if down {
		return l.Close()
	}
	return g.Serve(l)
}

// leadToTLS redirects a request to the same host and target with https.
func (s *Server) leadToTLS(ctx *fasthttp.RequestCtx, cfg Plain) {
	v := s.visits.Get().(*visit)
	v.ctx, v.route = ctx, routeRedirect
	status := v.leadToTLS(cfg)
	s.finish(v, status, cacheNone)
}

func (v *visit) leadToTLS(cfg Plain) int {
	if v.ctx.IsConnect() {
		return v.refuseMethod("GET, HEAD")
	}
	if status := v.readTarget(); status != 0 {
		return status
	}
	origin := cfg.Admin
	if cfg.AdminHost != string(v.host) {
		t, err := v.s.tenantOf(v.work(), v.host)
		switch {
		case err != nil:
			return v.outage(err)
		case t == nil:
			return v.unowned()
		}
		origin = cfg.Secure(string(v.host))
	}
	v.name = append(append(v.name[:0], origin...), v.target...)
	h := &v.ctx.Response.Header
	h.SetCanonical(headerLocation, v.name)
	h.SetCanonical(headerCacheControl, oneMinute)
	h.Set(surrogateHeader, shop.AllSurrogates)
	status := fasthttp.StatusPermanentRedirect // keeps the method and the body
	if v.reads() {
		status = fasthttp.StatusMovedPermanently
	}
	v.ctx.SetStatusCode(status)
	if v.ctx.IsHead() {
		h.SetContentLength(0)
	}
	return status
}

// shutdownPlain ends the listeners without TLS.
func (s *Server) shutdownPlain(ctx context.Context) (err error) {
	for _, g := range s.plain {
		err = errors.Join(err, g.Shutdown(ctx))
	}
	return err
}
