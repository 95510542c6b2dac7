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

	"github.com/valyala/fasthttp"

	"vitrine/admin/domain"
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
	tlsACME  = "acme"
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
	if s.TLS == tlsFiles && s.TLSCert == "" || (s.TLSCert == "") != (s.TLSKey == "") {
		return errors.New("VITRINE_TLS=files needs VITRINE_TLS_CERT and VITRINE_TLS_KEY")
	}
	return nil
}

// certificates are those of the listeners; both are nil without TLS, issued without an authority.
type certificates struct {
	all    gate.Certificates
	issued *certificate.Issued
	files  *certificate.Files
}

// directory reports whether a shop has a host.
type directory func(ctx context.Context, host string) (bool, error)

// checkCertificates refuses settings that contradict each other, and files that cannot be read, before
// anything else is opened.
func (s *Settings) checkCertificates() error {
	hosts, err := s.storefronts()
	if err != nil {
		return err
	}
	if err := s.checkTLS(hosts); err != nil || s.TLSCert == "" {
		return err
	}
	if _, err := certificate.OpenFiles(s.TLSCert, s.TLSKey, slog.New(slog.DiscardHandler)); err != nil {
		return fmt.Errorf("VITRINE_TLS_CERT: %w", err)
	}
	return nil
}

// openCertificates opens the certificates that the settings name.
func (s *Settings) openCertificates(st *store.Store, hosts shop.Storefronts, known directory, log *slog.Logger) (c certificates, err error) {
	if err := s.checkTLS(hosts); err != nil || s.scheme() == "http://" {
		return c, err
	}
	var files *certificate.Files
	if s.TLSCert != "" {
		if files, err = certificate.OpenFiles(s.TLSCert, s.TLSKey, log); err != nil {
			return c, fmt.Errorf("VITRINE_TLS_CERT: %w", err)
		}
		c.all, c.files = files, files
	}
	if s.TLS != tlsACME {
		return c, nil
	}
	sealer, err := s.sealer()
	if err != nil {
		return c, err
	}
	_, admin, _ := strings.Cut(s.adminURL(), "://")
	c.issued, err = certificate.NewIssued(certificate.Config{
		Store: st, Sealer: sealer, Files: files, Log: log,
		Authority: certificate.Authority{Directory: s.ACMEDirectory, Email: s.ACMEEmail, HTTP: s.EdgeHTTPListen != ""},
		Allows: func(ctx context.Context, host string) (bool, error) {
			if host == hostOf(admin) {
				return true, nil
			}
			return known(ctx, host)
		},
	})
	c.all = c.issued
	return c, err
}

// knows is the directory of a process: an edge remembers hosts.
func (srv *server) knows(ctx context.Context, host string) (bool, error) {
	if srv.edge != nil {
		return srv.edge.Knows(ctx, host)
	}
	return hasHost(ctx, srv.db.Store, srv.hosts, host)
}

// close ends the maintenance of certificates.
func (c certificates) close() error {
	if c.issued == nil {
		return nil
	}
	return c.issued.Close()
}

// of has a domain's certificates obtained, if an authority issues them.
func (c certificates) of(cfg domain.Config) domain.Config {
	if c.issued != nil {
		cfg.Certificates = c.issued
	}
	return cfg
}

// challenge answers HTTP-01.
func (c certificates) challenge(rc *fasthttp.RequestCtx) bool {
	if c.issued == nil {
		return false
	}
	host, err := hostname.Parse(rc.Host())
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	text, ok := c.issued.Answer(ctx, string(host), string(rc.Path()))
	if ok {
		rc.SetContentType("text/plain")
		rc.SetBody(text)
	}
	return ok
}

// hostOf returns the host of an authority.
func hostOf(authority string) string {
	if host, _, err := net.SplitHostPort(authority); err == nil {
		authority = host
	}
	return strings.ToLower(authority)
}

// serveAdmin serves the admin API.
func (srv *server) serveAdmin(g *gate.Gate) func(net.Listener) error {
	if srv.certificates.all == nil {
		return g.Serve
	}
	return func(l net.Listener) error { return g.ServeTLS(l, srv.certificates.all) }
}

// serveEdge serves the storefronts.
func (srv *server) serveEdge(l net.Listener) error {
	if srv.certificates.all == nil {
		return srv.edge.Serve(l)
	}
	return srv.edge.ServeTLS(l, srv.certificates.all)
}

// servePlain redirects to https.
func (srv *server) servePlain(admin string) func(net.Listener) error {
	_, authority, _ := strings.Cut(admin, "://")
	return func(l net.Listener) error {
		return srv.edge.ServePlain(l, edge.Plain{
			Secure: srv.hosts.OriginOf, Admin: admin, AdminHost: hostOf(authority), Challenge: srv.certificates.challenge,
		})
	}
}

// askTimeout bounds an answer about a host: the front waits with a handshake.
const askTimeout = 5 * time.Second

// answerAsk answers a server in front that asks whether it may get a certificate for a host
// (Caddy's on-demand TLS): 200 if a shop has it.
func (o *ops) answerAsk(known directory) {
	o.mux.HandleFunc("GET /ask", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), askTimeout)
		defer cancel()
		switch found, err := known(ctx, r.URL.Query().Get("domain")); {
		case err != nil:
			writeText(w, http.StatusServiceUnavailable, "the database does not answer\n")
		case !found:
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

// noHost is the directory of a process that has no listener.
func noHost(context.Context, string) (bool, error) { return false, nil }
