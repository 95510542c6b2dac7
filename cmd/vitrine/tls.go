package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"vitrine/edge"
	"vitrine/internal/certificate"
	"vitrine/internal/gate"
	"vitrine/internal/hostname"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// Values of VITRINE_TLS.
const (
	tlsOff   = "off"
	tlsFiles = "files"
)

// scheme is that of the default addresses.
func (s *Settings) scheme() string {
	if s.TLS == tlsOff || s.TLS == "" {
		return "http://"
	}
	return "https://"
}

// checkTLS refuses settings of TLS that contradict each other.
func (s *Settings) checkTLS(hosts shop.Storefronts) error {
	if s.scheme() == "http://" {
		if s.EdgeHTTPListen != "" {
			return errors.New("VITRINE_EDGE_HTTP_LISTEN redirects to https: it needs VITRINE_TLS")
		}
		return nil
	}
	if !hosts.Secure() || !strings.HasPrefix(s.adminURL(), "https://") {
		return errors.New("with VITRINE_TLS, VITRINE_STOREFRONT_URL and VITRINE_ADMIN_URL must begin with https://")
	}
	if s.TLS == tlsFiles && (s.TLSCert == "" || s.TLSKey == "") {
		return errors.New("VITRINE_TLS=files needs VITRINE_TLS_CERT and VITRINE_TLS_KEY")
	}
	return nil
}

// certificates returns the certificates of the listeners, nil without TLS.
func (s *Settings) certificates(hosts shop.Storefronts, log *slog.Logger) (gate.Certificates, error) {
	if err := s.checkTLS(hosts); err != nil || s.scheme() == "http://" {
		return nil, err
	}
	files, err := certificate.OpenFiles(s.TLSCert, s.TLSKey, log)
	if err != nil {
		return nil, fmt.Errorf("VITRINE_TLS_CERT: %w", err)
	}
	return files, nil
}

// serveAdmin serves the admin API.
func (srv *server) serveAdmin(g *gate.Gate) func(net.Listener) error {
	if srv.certificates == nil {
		return g.Serve
	}
	return func(l net.Listener) error { return g.ServeTLS(l, srv.certificates) }
}

// serveEdge serves the storefronts.
func (srv *server) serveEdge(l net.Listener) error {
	if srv.certificates == nil {
		return srv.edge.Serve(l)
	}
	return srv.edge.ServeTLS(l, srv.certificates)
}

// servePlain redirects to https.
func (srv *server) servePlain(admin string) func(net.Listener) error {
	return func(l net.Listener) error {
		return srv.edge.ServePlain(l, edge.Plain{Secure: srv.hosts.OriginOf, Admin: admin})
	}
}

// askTimeout bounds an answer about a host: the front waits with a handshake.
const askTimeout = 5 * time.Second

// answerAsk answers a server in front that asks whether it may get a certificate for a host
// (Caddy's on-demand TLS): 200 if a shop has it.
func (o *ops) answerAsk(st *store.Store, hosts shop.Storefronts) {
	o.mux.HandleFunc("GET /ask", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), askTimeout)
		defer cancel()
		switch known, err := hasHost(ctx, st, hosts, r.URL.Query().Get("domain")); {
		case err != nil:
			writeText(w, http.StatusServiceUnavailable, "the database does not answer\n")
		case !known:
			writeText(w, http.StatusNotFound, "no shop has this host\n")
		default:
			writeText(w, http.StatusOK, "ok\n")
		}
	})
}

// hasHost reports whether a shop has a host: its custom domain, or the one of its slug.
func hasHost(ctx context.Context, st *store.Store, hosts shop.Storefronts, host string) (bool, error) {
	name, err := hostname.Parse([]byte(host))
	if err != nil || strings.Contains(host, ":") {
		return false, nil
	}
	_, err = companydb.CompanyByHost(ctx, st, hosts, string(name))
	if errors.Is(err, store.ErrShopNotFound) {
		return false, nil
	}
	return err == nil, err
}
