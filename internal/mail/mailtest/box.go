// Package mailtest is an in-memory mail server for tests.
package mailtest

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// Box stores the letters it accepts, and refuses letters as a test sets it up.
type Box struct {
	URL string // smtp://…

	// Refuse is called at each stage: mail and rcpt with the address, data without one. Its
	// result is the response; nil accepts.
	Refuse func(stage, address string) error
	// Discard makes the server accept letters without storing them.
	Discard bool
	// OnAccept is called when a letter was accepted, before its sender gets the response.
	OnAccept func(Mail)

	mu    sync.Mutex
	mails []Mail
	conns []*smtp.Conn
}

// Mail is a received letter.
type Mail struct {
	From, To string // in the envelope
	Raw      []byte
	At       time.Time
}

// Serve listens until the test ends.
func Serve(t testing.TB, b *Box) *Box {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(b)
	server.Domain, server.AllowInsecureAuth = "box.test", true
	done := make(chan error, 1)
	go func() { done <- server.Serve(ln) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
	b.URL = "smtp://" + ln.Addr().String()
	return b
}

// NewSession implements smtp.Backend.
func (b *Box) NewSession(c *smtp.Conn) (smtp.Session, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conns = append(b.conns, c)
	return &session{box: b}, nil
}

// Mails returns the received letters.
func (b *Box) Mails() []Mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Mail(nil), b.mails...)
}

// Conns returns the number of connections so far.
func (b *Box) Conns() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.conns)
}

// CloseConnections closes the open connections.
func (b *Box) CloseConnections() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.conns {
		_ = c.Conn().Close() // closing twice is harmless
	}
}

func (b *Box) ask(stage, address string) error {
	if b.Refuse == nil {
		return nil
	}
	return b.Refuse(stage, address)
}

type session struct {
	box      *Box
	from, to string
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.from = from
	return s.box.ask("mail", from)
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	return s.box.ask("rcpt", to)
}

func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err == nil {
		err = s.box.ask("data", "")
	}
	if err != nil {
		return err
	}
	m := Mail{s.from, s.to, text, time.Now()}
	s.box.mu.Lock()
	if !s.box.Discard {
		s.box.mails = append(s.box.mails, m)
	}
	s.box.mu.Unlock()
	if s.box.OnAccept != nil {
		s.box.OnAccept(m)
	}
	return nil
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// Header returns a decoded header field of the letter.
func (m Mail) Header(name string) string {
	read, err := mail.ReadMessage(bytes.NewReader(m.Raw))
	if err != nil {
		return ""
	}
	text, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get(name))
	if err != nil {
		return ""
	}
	return text
}

// Part returns the text of a media type (text/plain, text/html), empty if there is none.
func (m Mail) Part(kind string) string {
	read, err := mail.ReadMessage(bytes.NewReader(m.Raw))
	if err != nil {
		return ""
	}
	is, params, err := mime.ParseMediaType(read.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	if !strings.HasPrefix(is, "multipart/") {
		return plain(read.Body, read.Header.Get("Content-Transfer-Encoding"))
	}
	for parts := multipart.NewReader(read.Body, params["boundary"]); ; {
		part, err := parts.NextPart() // decodes quoted-printable
		if err != nil {
			return ""
		}
		if of, _, err := mime.ParseMediaType(part.Header.Get("Content-Type")); err == nil && of == kind {
			return plain(part, part.Header.Get("Content-Transfer-Encoding"))
		}
	}
}

func plain(r io.Reader, encoding string) string {
	if strings.EqualFold(encoding, "quoted-printable") {
		r = quotedprintable.NewReader(r)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}
