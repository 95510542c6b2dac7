package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vitrine/admin/domain"
	"vitrine/internal/forwarded"
	"vitrine/internal/mail"
	"vitrine/internal/outbound"
	"vitrine/internal/pay"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
)

// Settings are what every role shares; each is a flag and an environment
// variable (CONTRACT, "Program").
type Settings struct {
	DataDir       string `env:"VITRINE_DATA_DIR" default:"./var" help:"Everything that this machine keeps."`
	EdgeListen    string `env:"VITRINE_EDGE_LISTEN" default:"127.0.0.1:8080" help:"Address of the storefront edge."`
	AdminListen   string `env:"VITRINE_ADMIN_LISTEN" default:"127.0.0.1:8081" help:"Address of the admin API."`
	OpsListen     string `env:"VITRINE_OPS_LISTEN" default:"127.0.0.1:8082" help:"Address of health, metrics and profiles."`
	OpsHosts      string `env:"VITRINE_OPS_HOSTS" help:"Host names that the ops listener answers to, comma-separated, besides IP addresses, localhost and the host it listens at; others get 421."`
	DatabaseURL   string `env:"VITRINE_DATABASE_URL" help:"PostgreSQL to use; empty runs a private one under the data dir."`
	BlobURL       string `env:"VITRINE_BLOB_URL" help:"Where file bytes lie: file://DIR or s3://bucket/prefix?endpoint=…; empty is the data dir."`
	StorefrontURL string `env:"VITRINE_STOREFRONT_URL" help:"Template of a shop's address; empty is http://{shop}.localhost:<edge port>."`
	AdminURL      string `env:"VITRINE_ADMIN_URL" help:"Public address of the admin API; empty is http://<admin listen>."`
	SecretKey     string `env:"VITRINE_SECRET_KEY" help:"32 bytes in base64 that hide what shops entrust, such as keys of payment providers; empty is a file in the data dir, made once. All processes have the same."`
	SMTPURL       string `name:"smtp-url" env:"VITRINE_SMTP_URL" help:"Mail server: smtp://[user:password@]host[:port] or smtps://…; empty: letters stay here and can be read."`
	MailFrom      string `env:"VITRINE_MAIL_FROM" help:"Address that letters come from; empty is shop@ and the host of the storefronts."`
	StripeURL     string `env:"VITRINE_STRIPE_URL" default:"https://api.stripe.com" help:"Where Stripe is."`
	YooKassaURL   string `name:"yookassa-url" aliases:"yoo-kassa-url" env:"VITRINE_YOOKASSA_URL" default:"https://api.yookassa.ru" help:"Where YooKassa is."`
	DNS           string `name:"dns" env:"VITRINE_DNS" help:"DNS server, as host:port, that is asked for the records of shops' domains; empty: the system's."`
	OutboundAllow string `env:"VITRINE_OUTBOUND_ALLOW" help:"Networks that are not public and where receivers of webhooks may be, between commas, such as 127.0.0.0/8; empty: none."`
	EdgeCache     int64  `name:"edge-cache-bytes" aliases:"edge-cache" env:"VITRINE_EDGE_CACHE_BYTES" default:"268435456" help:"Bytes of answers that the edge keeps in memory."`
	VariantCache  int64  `name:"variant-bytes" aliases:"variant-cache" env:"VITRINE_VARIANT_BYTES" default:"4294967296" help:"Bytes of resized pictures that are kept on disk; the longest unused go first."`
	Trusted       string `name:"trusted-proxies" env:"VITRINE_TRUSTED_PROXIES" help:"Networks whose X-Forwarded-For, X-Forwarded-Proto and Forwarded count, between commas; empty: nobody's."`
	LogLevel      string `env:"VITRINE_LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"Least level of log lines."`
	LogFormat     string `env:"VITRINE_LOG_FORMAT" enum:"text,json" default:"text" help:"Form of log lines."`
}

// checkCaches refuses caches that could not work.
func (s *Settings) checkCaches() error {
	const least = 1 << 20
	if s.EdgeCache < least || s.VariantCache < least {
		return fmt.Errorf("VITRINE_EDGE_CACHE_BYTES and VITRINE_VARIANT_BYTES are at least %d", least)
	}
	return nil
}

func (s *Settings) logger() *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		level = slog.LevelInfo // kong has checked the enum
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: secret.MaskAttr}
	if s.LogFormat == "json" {
		return slog.New(newThrifty(slog.NewJSONHandler(os.Stderr, options)))
	}
	return slog.New(newThrifty(slog.NewTextHandler(os.Stderr, options)))
}

// quietLogger is for verbs that end at once: standard error is for what went
// wrong.
func (s *Settings) quietLogger() *slog.Logger {
	quiet := *s
	if s.LogLevel == "info" {
		quiet.LogLevel = "warn"
	}
	return quiet.logger()
}

func (s *Settings) blobURL() (string, error) {
	if s.BlobURL != "" {
		return s.BlobURL, nil
	}
	dir, err := filepath.Abs(filepath.Join(s.DataDir, "blobs"))
	return (&url.URL{Scheme: "file", Path: dir}).String(), err
}

func (s *Settings) storefronts() (shop.Storefronts, error) {
	template := s.StorefrontURL
	if template == "" {
		_, port, err := net.SplitHostPort(s.EdgeListen)
		if err != nil {
			return shop.Storefronts{}, fmt.Errorf("edge listen address: %w", err)
		}
		template = "http://{shop}.localhost:" + port
	}
	return shop.ParseStorefronts(template)
}

// proxies are whose word counts about where a request comes from.
func (s *Settings) proxies() (forwarded.Proxies, error) {
	list, err := forwarded.Parse(s.Trusted)
	if err != nil {
		return nil, fmt.Errorf("VITRINE_TRUSTED_PROXIES: %w", err)
	}
	return list, nil
}

// sealer hides what shops entrust.
func (s *Settings) sealer() (*secret.Sealer, error) {
	key := s.SecretKey
	if key == "" {
		if err := os.MkdirAll(s.DataDir, 0o700); err != nil {
			return nil, err
		}
		var err error
		if key, err = secret.SealKey(filepath.Join(s.DataDir, "secret.key")); err != nil {
			return nil, err
		}
	}
	sealer, err := secret.NewSealer(key)
	if err != nil {
		return nil, fmt.Errorf("VITRINE_SECRET_KEY: %w", err)
	}
	return sealer, nil
}

// mailbox is where letters go and whom they come from. The server is nil where none is
// set.
func (s *Settings) mailbox(hosts shop.Storefronts) (server *mail.Server, from string, err error) {
	host := strings.TrimPrefix(hosts.Hosts("", "")[0], ".")
	if from = s.MailFrom; from == "" {
		from = "shop@" + host
	}
	if s.SMTPURL == "" {
		return nil, from, nil
	}
	if _, err := mail.Address(from); err != nil {
		return nil, "", fmt.Errorf("VITRINE_MAIL_FROM: %w", err)
	}
	if server, err = mail.Parse(s.SMTPURL, host); err != nil {
		return nil, "", fmt.Errorf("VITRINE_SMTP_URL: %w", err)
	}
	return server, from, nil
}

// domains is what the domains of shops stand on.
func (s *Settings) domains(ctx context.Context, db *database, hosts shop.Storefronts) (cfg domain.Config, err error) {
	resolver, err := outbound.NewResolver(s.DNS)
	if err != nil {
		return cfg, fmt.Errorf("VITRINE_DNS: %w", err)
	}
	secret, err := db.Secret(ctx, "domain")
	return domain.Config{Store: db.Store, Hosts: hosts, Admin: s.adminURL(), DNS: resolver, Secret: secret, Now: time.Now}, err
}

// providers reaches payment providers. One whose address was set by the operator may
// stand on this machine.
func (s *Settings) providers() pay.Do {
	for _, address := range []string{s.StripeURL, s.YooKassaURL} {
		if u, err := url.Parse(address); err == nil && u.Scheme == "http" {
			return outbound.New(outbound.Allow(netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))).Do
		}
	}
	return outbound.New().Do
}

// receivers reaches receivers of webhooks.
func (s *Settings) receivers() (*outbound.Client, error) {
	options := []outbound.Option{outbound.Receivers()}
	for text := range strings.SplitSeq(s.OutboundAllow, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("VITRINE_OUTBOUND_ALLOW: %q is no network such as 127.0.0.0/8", text)
		}
		options = append(options, outbound.Allow(network))
	}
	return outbound.New(options...), nil
}

func (s *Settings) adminURL() string {
	if s.AdminURL != "" {
		return strings.TrimRight(s.AdminURL, "/")
	}
	return "http://" + s.AdminListen
}

// opsHosts are the names that the ops listener answers to besides IP addresses.
func (s *Settings) opsHosts() (hosts []string) {
	if host, _, err := net.SplitHostPort(s.OpsListen); err == nil && host != "" {
		hosts = append(hosts, strings.ToLower(host))
	}
	for name := range strings.SplitSeq(s.OpsHosts, ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			hosts = append(hosts, name)
		}
	}
	return hosts
}
