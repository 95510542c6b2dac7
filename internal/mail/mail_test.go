package mail

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net"
	netmail "net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/emersion/go-smtp"

	"vitrine/internal/mail/mailtest"
)

func server(t *testing.T, b *mailtest.Box) *Server {
	t.Helper()
	s, err := Parse(mailtest.Serve(t, b).URL, "shops.test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func letter() Letter {
	return Letter{
		ID: "letter.1.17.0@shops.test", Date: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), From: "shop@shops.test", FromName: "Чай и травы",
		ReplyTo: "hello@tea.test", To: "ann@example.test", Subject: "Заказ 1001 принят", Text: "Спасибо!\n.\nтри строки", HTML: "<p>Спасибо!</p>",
	}
}

func TestLettersArriveSigned(t *testing.T) {
	t.Parallel()
	b := &mailtest.Box{}
	line := server(t, b).Connection()
	defer line.Close()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	l := letter()
	l.From, l.Signer = "shop@tea.test", &Signer{Domain: "tea.test", Selector: "vitrine", Key: key}
	for _, link := range []string{"https://tea.test/_vitrine/unsubscribe/1", ""} { // over one connection
		l.Unsubscribe = link
		if err := line.Send(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.Mails()) != 2 || b.Conns() != 1 {
		t.Fatalf("%d letters over %d connections", len(b.Mails()), b.Conns())
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	// RFC 8058, 4: mail programs offer to unsubscribe only if the signature covers both headers.
	signs := [][]string{{"From", "To", "Subject", "Date", "Message-ID", "List-Unsubscribe", "List-Unsubscribe-Post"}, {"From", "To", "Subject", "Date", "Message-ID"}}
	for i, m := range b.Mails() {
		found, err := dkim.VerifyWithOptions(bytes.NewReader(m.Raw), &dkim.VerifyOptions{LookupTXT: func(name string) ([]string, error) {
			if name != "vitrine._domainkey.tea.test" {
				t.Errorf("asked for %s", name)
			}
			return []string{"v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(public)}, nil
		}})
		if err != nil || len(found) != 1 || found[0].Err != nil || found[0].Domain != "tea.test" {
			t.Fatalf("signature: %+v, %v", found, err)
		}
		for _, name := range signs[i] {
			if !slices.Contains(found[0].HeaderKeys, name) {
				t.Errorf("%s is not signed, only %v", name, found[0].HeaderKeys)
			}
		}
	}
	m := b.Mails()[0]
	if m.Header("Subject") != l.Subject || m.Header("From") != "Чай и травы <shop@tea.test>" || m.Header("Message-ID") != "<"+l.ID+">" {
		t.Errorf("subject %q, from %q, id %q", m.Header("Subject"), m.Header("From"), m.Header("Message-ID"))
	}
	if m.Part("text/plain") != l.Text || m.Part("text/html") != l.HTML {
		t.Errorf("%q, %q", m.Part("text/plain"), m.Part("text/html"))
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, stage string
		code        int
		want        error
		never       error // error that it must not be
	}{
		{"no such address", "rcpt", 550, ErrBounced, ErrTemporary},
		{"greylisted", "rcpt", 451, ErrTemporary, ErrPermanent},
		{"mailbox full", "rcpt", 552, ErrPermanent, ErrBounced},
		{"sender not allowed", "mail", 550, ErrPermanent, ErrBounced},
		{"busy", "mail", 421, ErrTemporary, ErrPermanent},
		{"spam", "data", 554, ErrPermanent, ErrBounced},
		{"disk full", "data", 452, ErrTemporary, ErrPermanent},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			refuse := true
			b := &mailtest.Box{Refuse: func(stage, _ string) error {
				if refuse && stage == c.stage {
					return &smtp.SMTPError{Code: c.code, Message: "no\tno"}
				}
				return nil
			}}
			line := server(t, b).Connection()
			defer line.Close()
			if err := line.Send(t.Context(), letter()); !errors.Is(err, c.want) || errors.Is(err, c.never) {
				t.Fatalf("%v", err)
			}
			refuse = false
			if err := line.Send(t.Context(), letter()); err != nil || len(b.Mails()) != 1 {
				t.Fatalf("the next letter: %v, %d arrived", err, len(b.Mails()))
			}
		})
	}
}

func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Parse("smtp://"+address, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Connection().Send(t.Context(), letter()); !errors.Is(err, ErrTemporary) {
		t.Fatalf("%v", err)
	}
}

// A connection that the server has closed between two letters loses no letter.
func TestClosedConnectionIsReopened(t *testing.T) {
	t.Parallel()
	b := &mailtest.Box{}
	line := server(t, b).Connection()
	defer line.Close()
	if err := line.Send(t.Context(), letter()); err != nil {
		t.Fatal(err)
	}
	b.CloseConnections()
	if err := line.Send(t.Context(), letter()); err != nil || len(b.Mails()) != 2 {
		t.Fatalf("%v, %d arrived", err, len(b.Mails()))
	}
}

// No field can add a header, whatever it contains.
func TestHeaderInjectionIsPrevented(t *testing.T) {
	t.Parallel()
	b := &mailtest.Box{}
	line := server(t, b).Connection()
	defer line.Close()
	const evil = "Tea\r\nBcc: all@evil.test\r\n\r\nbody\x00\u2028x"
	l := letter()
	l.Subject, l.FromName = evil, evil
	if err := line.Send(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	l.Subject, l.FromName = strings.Repeat("я", 5000), strings.Repeat("\"<>,", 500)
	if err := line.Send(t.Context(), l); err != nil {
		t.Fatal(err)
	}
	for _, arrived := range b.Mails() {
		m, err := netmail.ReadMessage(bytes.NewReader(arrived.Raw))
		if err != nil || m.Header.Get("Bcc") != "" || len(m.Header["Subject"]) != 1 {
			t.Errorf("%v: %v", err, m.Header)
		}
		if from, err := m.Header.AddressList("From"); err != nil || len(from) != 1 || from[0].Address != l.From {
			t.Errorf("from %v, %v", from, err)
		}
	}
	for _, l := range []Letter{{To: "a@x.test\r\nRCPT TO:<b@x.test>"}, {To: "a@x.test>\r\nDATA"}} {
		l.From = "shop@shops.test"
		if err := line.Send(t.Context(), l); !errors.Is(err, ErrPermanent) {
			t.Errorf("%q: %v", l.To, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"ann@example.test": "ann@example.test", "ann+tea@Example.test": "ann+tea@example.test", "ann@bücher.test": "ann@xn--bcher-kva.test",
		"анна@почта.рф": "анна@xn--80a1acny.xn--p1ai", "a@[127.0.0.1]": "a@[127.0.0.1]", "o'neil@x.test": "o'neil@x.test",
		strings.Repeat("a", 64) + "@x.test": strings.Repeat("a", 64) + "@x.test",

		"": "", "ann": "", "ann@": "", "@x.test": "", "Ann <ann@x.test>": "", "a@x.test, b@x.test": "", `"a b"@x.test`: "", `"a\"b"@x.test`: "",
		"a@x .test": "", "a@-x.test": "", strings.Repeat("a", 65) + "@x.test": "", "a@" + strings.Repeat("x", 315) + ".test": "",
		strings.Repeat("a", 64) + "@" + strings.Repeat("abcdefgh.", 28) + "test": "", "a\n@x.test": "", "a@x.test\n": "", "<a@x.test>": "a@x.test",
	} {
		got, err := Address(address)
		if got != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, ErrPermanent) {
			t.Errorf("%q: %q, %v", address, got, err)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]Server{
		"smtp://mail.test":               {host: "mail.test", port: 25},
		"smtp://ann:se%40cret@mail.test": {host: "mail.test", port: 587, user: "ann", password: "se@cret"},
		"smtps://mail.test/":             {host: "mail.test", port: 465, secure: true},
		"smtp://[::1]:2525":              {host: "::1", port: 2525},
	} {
		if got, err := Parse(address, ""); err != nil || *got != want {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
	for _, address := range []string{"", "mail.test", "http://mail.test", "smtp://", "smtp://mail.test:0", "smtp://mail.test:99999", "smtp://mail.test/x", "://"} {
		if _, err := Parse(address, ""); err == nil {
			t.Errorf("%s is accepted", address)
		}
	}
}
