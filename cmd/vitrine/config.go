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
	"vitrine/admin/media"
	"vitrine/admin/purge"
	"vitrine/internal/forwarded"
	"vitrine/internal/mail"
	"vitrine/internal/outbound"
	"vitrine/internal/pay"
	"vitrine/internal/secret"
	"vitrine/internal/shop"
)

// Settings are shared by all roles; each is a flag and an environment variable (CONTRACT,
// "Program").
type Settings struct {
	DataDir        string `env:"VITRINE_DATA_DIR" default:"./var" help:"Directory of everything stored on this machine."`
	EdgeListen     string `env:"VITRINE_EDGE_LISTEN" default:"127.0.0.1:8080" help:"Address of the storefront edge."`
	AdminListen    string `env:"VITRINE_ADMIN_LISTEN" default:"127.0.0.1:8081" help:"Address of the admin API."`
	OpsListen      string `env:"VITRINE_OPS_LISTEN" default:"127.0.0.1:8082" help:"Address of health, metrics and profiles."`
	EdgeHTTPListen string `name:"edge-http-listen" env:"VITRINE_EDGE_HTTP_LISTEN" help:"Address of a listener without TLS that redirects visitors to https; empty: none."`
	TLS            string `name:"tls" env:"VITRINE_TLS" enum:"off,files,acme" default:"off" help:"TLS of the edge and the admin API: off; files, for the certificates in VITRINE_TLS_CERT; acme, for certificates of an authority by host, beside those in VITRINE_TLS_CERT."`
	TLSCert        string `name:"tls-cert" env:"VITRINE_TLS_CERT" help:"Certificate with its chain, a PEM file that is read again when it changes; several are separated by commas."`
	TLSKey         string `name:"tls-key" env:"VITRINE_TLS_KEY" help:"Key of the certificate, a PEM file; several as those of VITRINE_TLS_CERT."`
	ACMEDirectory  string `name:"acme-directory" env:"VITRINE_ACME_DIRECTORY" default:"https://acme-v02.api.letsencrypt.org/directory" help:"ACME directory of the certificate authority."`
	ACMEEmail      string `name:"acme-email" env:"VITRINE_ACME_EMAIL" help:"Email address for messages of the certificate authority; empty: none."`
	OpsHosts       string `env:"VITRINE_OPS_HOSTS" help:"Host names that the ops listener accepts, comma-separated, in addition to IP addresses, localhost and the host it listens on; requests for others get 421."`
	DatabaseURL    string `env:"VITRINE_DATABASE_URL" help:"PostgreSQL server to use; empty: run a private one under the data dir."`
	ReplicaURL     string `name:"replica-url" env:"VITRINE_REPLICA_URL" help:"A standby of the database from which edges draw pages once it has what they show; empty: none."`
	BlobURL        string `env:"VITRINE_BLOB_URL" help:"Storage of file contents: file://DIR or s3://bucket/prefix?endpoint=…; empty: the data dir."`
	StorefrontURL  string `env:"VITRINE_STOREFRONT_URL" help:"Template of a shop's address; empty: http(s)://{shop}.localhost:<edge port>."`
	AdminURL       string `env:"VITRINE_ADMIN_URL" help:"Public address of the admin API; empty: http(s)://<admin listen>, with localhost for this machine."`
	SecretKey      string `env:"VITRINE_SECRET_KEY" help:"32 bytes in base64 that encrypt secrets of shops, such as keys of payment providers; empty: a file in the data dir, created once. All processes must have the same key. To rotate it, name the new key and the former one, separated by a comma: the first encrypts, all decrypt."`
	SMTPURL        string `name:"smtp-url" env:"VITRINE_SMTP_URL" help:"Mail server: smtp://[user:password@]host[:port] or smtps://…; empty: emails are not sent, but stored for reading."`
	MailFrom       string `env:"VITRINE_MAIL_FROM" help:"Sender address of emails; empty: shop@ and the host of the storefronts."`
	StripeURL      string `env:"VITRINE_STRIPE_URL" default:"https://api.stripe.com" help:"Address of Stripe's API."`
	YooKassaURL    string `name:"yookassa-url" aliases:"yoo-kassa-url" env:"VITRINE_YOOKASSA_URL" default:"https://api.yookassa.ru" help:"Address of YooKassa's API."`
	DNS            string `name:"dns" env:"VITRINE_DNS" help:"DNS server, as host:port, for looking up the records of shops' domains; empty: the system's."`
	OutboundAllow  string `env:"VITRINE_OUTBOUND_ALLOW" help:"Non-public networks in which receivers of webhooks, profiles of assistants (also over http) and pictures to fetch may be, comma-separated, such as 127.0.0.0/8; empty: none."`
	UCPNamespace   string `name:"ucp-namespace" env:"VITRINE_UCP_NAMESPACE" default:"localhost.vitrine" help:"Reverse domain name of the operator, by which assistants know ways to pay that only these shops have."`
	Purge          string `env:"VITRINE_PURGE" help:"Caches in front of the edges that workers tell what has changed, comma-separated: varnish:http://host:port, fastly:SERVICE:TOKEN, cloudflare:ZONE:TOKEN; empty: none."`
	Signup         string `env:"VITRINE_SIGNUP" enum:"open,closed" default:"open" help:"Whether people open shops themselves (POST /v1/orgs), or only the operator does."`
	EdgeProcesses  int    `name:"edge-processes" env:"VITRINE_EDGE_PROCESSES" default:"1" help:"Processes of vitrine edge. Above 1, each has one thread for requests, and the sizes of caches are divided among them."`
	ReusePort      bool   `name:"reuse-port" env:"VITRINE_REUSE_PORT" help:"Share the addresses of the edge and the admin API with a process that is to take over or that is replaced."`
	EdgeCache      int64  `name:"edge-cache-bytes" aliases:"edge-cache" env:"VITRINE_EDGE_CACHE_BYTES" default:"268435456" help:"Size in bytes of the edge's response cache in memory."`
	EdgeShops      int64  `name:"edge-shop-bytes" env:"VITRINE_EDGE_SHOP_BYTES" default:"268435456" help:"Size in bytes of the shops that the edge has loaded, estimated; the least recently visited are evicted first."`
	VariantCache   int64  `name:"variant-bytes" aliases:"variant-cache" env:"VITRINE_VARIANT_BYTES" default:"4294967296" help:"Size in bytes of the cache of resized pictures on disk; the least recently used are evicted first."`
	Trusted        string `name:"trusted-proxies" env:"VITRINE_TRUSTED_PROXIES" help:"Networks whose X-Forwarded-For, X-Forwarded-Proto and Forwarded headers are trusted, comma-separated; empty: none."`
	TestClock      string `name:"test-clock" env:"VITRINE_TEST_CLOCK" help:"Moves the clock of the worker that reminds of carts: a duration such as 25h, or a moment; or with file:PATH that of the whole process, by the duration in the file; refused unless the data dir was made with --demo."`
	LogLevel       string `env:"VITRINE_LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"Minimum level of log lines."`
	LogFormat      string `env:"VITRINE_LOG_FORMAT" enum:"text,json" default:"text" help:"Format of log lines."`

	TracesURL     string  `name:"traces-url" env:"VITRINE_TRACES_URL" help:"OpenTelemetry collector that traces are sent to (OTLP over HTTP, /v1/traces is appended), such as http://127.0.0.1:4318; empty: none."`
	TracesHeaders string  `name:"traces-headers" env:"VITRINE_TRACES_HEADERS" help:"Header fields for the collector, such as Authorization=Bearer TOKEN, comma-separated; empty: none."`
	TracesShare   float64 `name:"traces-share" env:"VITRINE_TRACES_SHARE" default:"1" help:"Share of traces that are recorded, above 0 and at most 1."`

	migrates bool // this process brings the schema of the database up to date
}

const maxProcesses = 64

// checkProcesses refuses numbers of processes that cannot be meant.
func (s *Settings) checkProcesses() error {
	if s.EdgeProcesses < 1 || s.EdgeProcesses > maxProcesses {
		return fmt.Errorf("VITRINE_EDGE_PROCESSES must be from 1 to %d", maxProcesses)
	}
	return nil
}

// checkCaches refuses cache sizes that are too small to work.
func (s *Settings) checkCaches() error {
	const least = 1 << 20
	if s.EdgeCache < least || s.EdgeShops < least || s.VariantCache < least {
		return fmt.Errorf("VITRINE_EDGE_CACHE_BYTES, VITRINE_EDGE_SHOP_BYTES and VITRINE_VARIANT_BYTES must be at least %d", least)
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
		return slog.New(newLimitedLog(slog.NewJSONHandler(os.Stderr, options)))
	}
	return slog.New(newLimitedLog(slog.NewTextHandler(os.Stderr, options)))
}

// quietLogger is the logger for short-running verbs: their standard error is only for
// problems.
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
	template, err := s.storefrontURL()
	if err != nil {
		return shop.Storefronts{}, err
	}
	return shop.ParseStorefronts(template)
}

// storefrontURL is the template of a shop's address.
func (s *Settings) storefrontURL() (string, error) {
	if s.StorefrontURL != "" {
		return s.StorefrontURL, nil
	}
	_, port, err := net.SplitHostPort(s.EdgeListen)
	if err != nil {
		return "", fmt.Errorf("edge listen address: %w", err)
	}
	return s.scheme() + "{shop}.localhost:" + port, nil
}

// proxies are the networks whose forwarding headers are trusted.
func (s *Settings) proxies() (forwarded.Proxies, error) {
	list, err := forwarded.Parse(s.Trusted)
	if err != nil {
		return nil, fmt.Errorf("VITRINE_TRUSTED_PROXIES: %w", err)
	}
	return list, nil
}

// keyFile has the key if VITRINE_SECRET_KEY is empty.
func (s *Settings) keyFile() string { return filepath.Join(s.DataDir, "secret.key") }

// hasKey reports whether sealer would create no key.
func (s *Settings) hasKey() bool {
	_, err := os.Stat(s.keyFile())
	return s.SecretKey != "" || err == nil
}

// sealer encrypts the secrets of shops.
func (s *Settings) sealer() (*secret.Sealer, error) {
	key := s.SecretKey
	if key == "" {
		if err := os.MkdirAll(s.DataDir, 0o700); err != nil {
			return nil, err
		}
		var err error
		if key, err = secret.SealKey(s.keyFile()); err != nil {
			return nil, err
		}
	}
	sealer, err := secret.NewSealer(key)
	if err != nil {
		return nil, fmt.Errorf("VITRINE_SECRET_KEY: %w", err)
	}
	return sealer, nil
}

// mailbox returns the mail server and the sender address of emails. The server is nil if none
// is configured.
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

// domains is the configuration for the domains of shops.
func (s *Settings) domains(ctx context.Context, db *database, hosts shop.Storefronts) (cfg domain.Config, err error) {
	resolver, err := outbound.NewResolver(s.DNS)
	if err != nil {
		return cfg, fmt.Errorf("VITRINE_DNS: %w", err)
	}
	secret, err := db.Secret(ctx, "domain")
	return domain.Config{Store: db.Store, Hosts: hosts, Admin: s.adminURL(), DNS: resolver, Secret: secret, Now: time.Now}, err
}

// caches are the caches in front of the edges.
func (s *Settings) caches() ([]purge.Target, error) {
	list, err := purge.Parse(s.Purge)
	if err != nil {
		return nil, fmt.Errorf("VITRINE_PURGE: %w", err)
	}
	return list, nil
}

// toOperators returns the client for servers that the operator has named: they may be anywhere.
func toOperators() purge.Do {
	return outbound.New(outbound.Allow(netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")), outbound.ForWebhooks()).Do
}

// providers returns the HTTP client for payment providers. An address with http, set by the
// operator, may be on this machine.
func (s *Settings) providers() pay.Do {
	for _, address := range []string{s.StripeURL, s.YooKassaURL} {
		if u, err := url.Parse(address); err == nil && u.Scheme == "http" {
			return outbound.New(outbound.Allow(netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))).Do
		}
	}
	return outbound.New().Do
}

// receivers returns the client for receivers of webhooks.
func (s *Settings) receivers() (*outbound.Client, error) {
	allowed, err := s.allowed()
	if err != nil {
		return nil, err
	}
	return outbound.New(append(allowed, outbound.ForWebhooks())...), nil
}

// profiles returns the client that reads the profiles of assistants.
func (s *Settings) profiles() (*outbound.Client, error) {
	allowed, err := s.allowed()
	if err != nil {
		return nil, err
	}
	return outbound.New(append(allowed, outbound.ForProfiles())...), nil
}

// pictures returns the client that fetches pictures.
func (s *Settings) pictures() (media.Fetch, error) {
	allowed, err := s.allowed()
	if err != nil {
		return nil, err
	}
	return outbound.New(allowed...).Do, nil
}

// allowed returns the networks, not public, that clients may reach.
func (s *Settings) allowed() (options []outbound.Option, err error) {
	for text := range strings.SplitSeq(s.OutboundAllow, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("VITRINE_OUTBOUND_ALLOW: %q is not a network such as 127.0.0.0/8", text)
		}
		options = append(options, outbound.Allow(network))
	}
	return options, nil
}

func (s *Settings) adminURL() string {
	if s.AdminURL != "" {
		return strings.TrimRight(s.AdminURL, "/")
	}
	host, port, err := net.SplitHostPort(s.AdminListen)
	if err != nil {
		return s.scheme() + s.AdminListen
	}
	// Over http, browsers keep the session of the cabinet at localhost, but not at an IP address.
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && (ip.IsLoopback() || ip.IsUnspecified()) {
		host = "localhost"
	}
	return s.scheme() + net.JoinHostPort(host, port)
}

// opsHosts lists the host names that the ops listener accepts in addition to IP addresses.
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
