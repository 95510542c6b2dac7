// Package mail sends e-mails over SMTP (CONTRACT-COMMERCE, "Letters").
//
// A Server is the address of a mail server; a Line is a connection to it, which is reused
// between letters. A letter that was not accepted is ErrTemporary or ErrPermanent, depending on the
// server's response; if it is unknown whether it was accepted, it is ErrTemporary, and the
// letter must be sent again under the same Message-ID.
package mail

import (
	"context"
	"crypto"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
	"golang.org/x/net/idna"
)

// Errors of a letter that was not accepted, matched with errors.Is.
var (
	// ErrTemporary: the server is unavailable, or may accept it later.
	ErrTemporary = errors.New("mail: temporary failure")
	// ErrPermanent: the server rejects it permanently, or it cannot be sent at all.
	ErrPermanent = errors.New("mail: permanent failure")
	// ErrBounced is an ErrPermanent because the address does not exist.
	ErrBounced = fmt.Errorf("%w: the address does not exist", ErrPermanent)
)

const (
	sendTime = 15 * time.Second // for one letter, including the connection

	// MaxAddress is the maximum length of an address in characters (RFC 5321, 4.5.3.1).
	MaxAddress = 254
	maxSubject = 250 // characters
	maxName    = 100

	maxUnsubscribe = 500
)

// Letter is an e-mail.
type Letter struct {
	ID       string // Message-ID without brackets; the same at each attempt
	Date     time.Time
	From     string // address
	FromName string
	ReplyTo  string // empty: none
	To       string
	Subject  string
	Text     string
	HTML     string // empty: text alone
	Signer   *Signer

	Unsubscribe string // address that takes a POST to get no more such letters (RFC 8058); empty: none
}

// Signer signs the letters of a domain (DKIM, RFC 6376).
type Signer struct {
	Domain   string
	Selector string
	Key      crypto.Signer
}

// Server is a mail server.
type Server struct {
	host     string
	port     int
	secure   bool // TLS from the first byte
	user     string
	password string
	domain   string // our name in HELO
}

// ErrURL reports an invalid address of a mail server.
var ErrURL = errors.New("mail: expected smtp://[user:password@]host[:port] or smtps://…")

// Parse reads the address of a server.
func Parse(address, domain string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" {
		return nil, ErrURL
	}
	s := &Server{host: u.Hostname(), domain: domain, user: u.User.Username()}
	s.password, _ = u.User.Password()
	switch u.Scheme {
	case "smtp":
		s.port = 587
		if s.user == "" {
			s.port = 25
		}
	case "smtps":
		s.port, s.secure = 465, true
	default:
		return nil, ErrURL
	}
	if u.Port() != "" {
		if s.port, err = strconv.Atoi(u.Port()); err != nil || s.port < 1 || s.port > 65535 {
			return nil, ErrURL
		}
	}
	return s, nil
}

// local reports whether the server is on this machine, where the connection cannot be
// intercepted.
func (s *Server) local() bool {
	ip := net.ParseIP(s.host)
	return s.host == "localhost" || ip != nil && ip.IsLoopback()
}

// client creates the SMTP client. A password is only sent over TLS, except on this machine.
func (s *Server) client() (*gomail.Client, error) {
	policy := gomail.TLSOpportunistic
	if s.user != "" && !s.local() {
		policy = gomail.TLSMandatory
	}
	options := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(sendTime), gomail.WithTLSPolicy(policy), gomail.WithoutNoop(),
		gomail.WithTLSConfig(&tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12, InsecureSkipVerify: s.local()}), //nolint:gosec // only for servers on this machine
	}
	if s.domain != "" {
		options = append(options, gomail.WithHELO(s.domain))
	}
	if s.secure {
		options = append(options, gomail.WithSSL())
	}
	if s.user != "" {
		kind := gomail.SMTPAuthAutoDiscover
		if s.local() {
			kind = gomail.SMTPAuthPlainNoEnc
		}
		options = append(options, gomail.WithSMTPAuth(kind), gomail.WithUsername(s.user), gomail.WithPassword(s.password))
	}
	return gomail.NewClient(s.host, options...)
}

// Connection is a connection to a server, opened when it is needed. It is not safe for concurrent
// use.
type Connection struct {
	server *Server
	client *gomail.Client
	conn   *smtp.Client // nil: not connected
}

// Connection returns a Line to the server.
func (s *Server) Connection() *Connection { return &Connection{server: s} }

// Close closes the connection; the next letter opens another.
func (l *Connection) Close() {
	if l.conn != nil {
		_ = l.client.CloseWithSMTPClient(l.conn) // nothing is in progress
		l.conn = nil
	}
}

// Send sends a letter. If it returns nil, the server has accepted it.
func (l *Connection) Send(ctx context.Context, letter Letter) error {
	msg, err := letter.message()
	if err != nil {
		return err
	}
	kept := l.conn != nil
	err = l.try(ctx, msg)
	if kept && gone(err) { // closed while it was idle; nothing was sent
		err = l.try(ctx, msg)
	}
	if err == nil || msg.IsDelivered() {
		return nil
	}
	return classify(err)
}

// gone reports whether a connection was closed before the letter began.
func gone(err error) bool {
	var refused *gomail.SendError
	return errors.Is(err, gomail.ErrNoActiveConnection) || errors.Is(err, gomail.ErrDeadlineExtendFailed) ||
		errors.As(err, &refused) && refused.Reason == gomail.ErrSMTPMailFrom && refused.ErrorCode() == 0
}

func (l *Connection) try(ctx context.Context, msg *gomail.Msg) (err error) {
	if l.client == nil {
		if l.client, err = l.server.client(); err != nil {
			return err
		}
	}
	if l.conn == nil {
		ctx, cancel := context.WithTimeout(ctx, sendTime)
		defer cancel()
		if l.conn, err = l.client.DialToSMTPClientWithContext(ctx); err != nil {
			l.conn = nil
			return err
		}
	}
	if err = l.client.SendWithSMTPClient(l.conn, msg); err != nil {
		l.Close()
	}
	return err
}

// classify determines whether a letter that was not accepted may be accepted later.
func classify(err error) error {
	var refused *gomail.SendError
	if !errors.As(err, &refused) {
		return fmt.Errorf("%w: %w", ErrTemporary, err)
	}
	code, why := refused.ErrorCode(), reason(refused)
	switch {
	case code < 500:
		return fmt.Errorf("%w: %s", ErrTemporary, why)
	case refused.Reason == gomail.ErrSMTPRcptTo && (code == 550 || code == 551 || code == 553):
		return fmt.Errorf("%w: %s", ErrBounced, why)
	}
	return fmt.Errorf("%w: %s", ErrPermanent, why)
}

// maxReason bounds the stored text of a server's response, in characters.
const maxReason = 300

func reason(err error) string {
	why := oneLine(err.Error(), maxReason)
	why, _, _ = strings.Cut(why, ", affected ")
	return why
}

// message builds the message of the letter.
func (letter Letter) message() (*gomail.Msg, error) {
	to, err := Address(letter.To)
	if err != nil {
		return nil, err
	}
	from, err := Address(letter.From)
	if err != nil {
		return nil, err
	}
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	m.FromMailAddress(&mail.Address{Name: oneLine(letter.FromName, maxName), Address: from})
	m.ToMailAddress(&mail.Address{Address: to})
	if reply, err := Address(letter.ReplyTo); err == nil {
		m.ReplyToMailAddress(&mail.Address{Address: reply})
	}
	m.Subject(oneLine(letter.Subject, maxSubject))
	m.SetMessageIDWithValue(letter.ID)
	m.SetDateWithValue(letter.Date)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader("X-Auto-Response-Suppress", "All")
	if letter.Unsubscribe != "" {
		m.SetGenHeader("List-Unsubscribe", "<"+oneLine(letter.Unsubscribe, maxUnsubscribe)+">")
		m.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	m.SetBodyString(gomail.TypeTextPlain, letter.Text)
	if letter.HTML != "" {
		m.AddAlternativeString(gomail.TypeTextHTML, letter.HTML)
	}
	if s := letter.Signer; s != nil {
		signer := gomail.NewDKIMSigner(s.Domain, s.Selector, s.Key)
		signer.SignHeaders(letter.signed()...)
		m.SetDKIM(signer)
	}
	return m, nil
}

// signed returns the headers that a signature covers. Mail programs ignore headers to unsubscribe
// that it does not cover (RFC 8058, 4). They take the place of those about the format, because the
// library breaks a longer list inside a name, and the signature is invalid; it covers the body anyway.
func (letter Letter) signed() []string {
	names := []string{"From", "To", "Subject", "Date", "Message-ID"}
	if letter.Unsubscribe != "" {
		return append(names, "List-Unsubscribe", "List-Unsubscribe-Post")
	}
	return append(names, "Content-Type", "MIME-Version")
}

// Address returns an address in the form for servers: domain names in ASCII. It returns
// ErrPermanent for an invalid address.
func Address(address string) (string, error) {
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Name != "" || len(address) > 4*MaxAddress {
		return "", fmt.Errorf("%w: %q is not an address", ErrPermanent, oneLine(address, maxName))
	}
	at := strings.LastIndexByte(parsed.Address, '@')
	local, domain := parsed.Address[:at], parsed.Address[at+1:]
	if (&mail.Address{Address: local + "@x"}).String() != "<"+local+"@x>" || strings.ContainsFunc(local, unicode.IsControl) {
		return "", fmt.Errorf("%w: addresses that need quotes are not supported", ErrPermanent)
	}
	if !strings.HasPrefix(domain, "[") {
		if domain, err = idna.Lookup.ToASCII(domain); err != nil {
			return "", fmt.Errorf("%w: %q is not a domain", ErrPermanent, oneLine(parsed.Address[at+1:], maxName))
		}
	}
	if len(local) > 64 || len(local)+1+len(domain) > MaxAddress {
		return "", fmt.Errorf("%w: the address is too long", ErrPermanent)
	}
	return local + "@" + domain, nil
}

// oneLine replaces line ends and other control characters, so that a text cannot begin
// another header, and truncates it to most characters.
func oneLine(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most-1]) + "…"
	}
	return strings.TrimSpace(text)
}
