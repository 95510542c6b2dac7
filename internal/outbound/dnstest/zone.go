// Package dnstest is an in-memory DNS for tests.
package dnstest

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/miekg/dns"
)

// Zone holds records, and answers for them directly or as a server.
type Zone struct {
	mu     sync.Mutex
	txt    map[string][]string
	cname  map[string]string
	silent bool
	forge  bool
	asked  int
}

var errSilent = errors.New("dnstest: silent")

// TXT returns the texts of a name.
func (z *Zone) TXT(_ context.Context, name string) ([]string, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.asked++
	if z.silent {
		return nil, errSilent
	}
	return z.txt[name], nil
}

// CNAME returns the target of a name.
func (z *Zone) CNAME(_ context.Context, name string) (string, error) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.silent {
		return "", errSilent
	}
	return z.cname[name], nil
}

// SetTXT sets the texts of a name; none removes them.
func (z *Zone) SetTXT(name string, texts ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.txt == nil {
		z.txt = map[string][]string{}
	}
	z.txt[name] = texts
}

// SetCNAME sets the target of a name; an empty one removes it.
func (z *Zone) SetCNAME(name, target string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.cname == nil {
		z.cname = map[string]string{}
	}
	z.cname[name] = target
}

// Silence turns answers off or on.
func (z *Zone) Silence(on bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.silent = on
}

// Forge makes the server answer another question, like a forger who does not know the
// question.
func (z *Zone) Forge(on bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.forge = on
}

// Asked returns how often texts were requested.
func (z *Zone) Asked() int {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.asked
}

// Serve answers over UDP and TCP until the test ends, and returns the address.
func (z *Zone) Serve(t testing.TB) string {
	t.Helper()
	udp, tcp, err := listen()
	for range 100 { // the port of the UDP socket may be in use for TCP
		if err == nil {
			break
		}
		udp, tcp, err = listen()
	}
	if err != nil {
		t.Fatal(err)
	}
	handler := func(most int) dns.HandlerFunc {
		return func(w dns.ResponseWriter, q *dns.Msg) { z.reply(w, q, most) }
	}
	for _, server := range []*dns.Server{{PacketConn: udp, Handler: handler(dns.MinMsgSize)}, {Listener: tcp, Handler: handler(dns.MaxMsgSize)}} {
		started := make(chan struct{})
		server.NotifyStartedFunc = func() { close(started) }
		done := make(chan error, 1)
		go func() { done <- server.ActivateAndServe() }()
		<-started
		t.Cleanup(func() {
			if err := errors.Join(server.Shutdown(), <-done); err != nil {
				t.Error(err)
			}
		})
	}
	return udp.LocalAddr().String()
}

// listen opens one port for both.
func listen() (udp net.PacketConn, tcp net.Listener, err error) {
	if udp, err = net.ListenPacket("udp", "127.0.0.1:0"); err != nil {
		return nil, nil, err
	}
	if tcp, err = net.Listen("tcp", udp.LocalAddr().String()); err != nil {
		return nil, nil, errors.Join(err, udp.Close())
	}
	return udp, tcp, nil
}

// reply answers one question in at most most bytes.
func (z *Zone) reply(w dns.ResponseWriter, q *dns.Msg, most int) {
	answer := new(dns.Msg).SetReply(q)
	name := strings.TrimSuffix(dns.CanonicalName(q.Question[0].Name), ".")
	header := dns.RR_Header{Name: q.Question[0].Name, Rrtype: q.Question[0].Qtype, Class: dns.ClassINET, Ttl: 1}
	switch header.Rrtype {
	case dns.TypeTXT:
		texts, err := z.TXT(context.Background(), name)
		if err != nil {
			return
		}
		for _, text := range texts {
			answer.Answer = append(answer.Answer, &dns.TXT{Hdr: header, Txt: parts(text)})
		}
	case dns.TypeCNAME:
		target, err := z.CNAME(context.Background(), name)
		if err != nil {
			return
		}
		if target != "" {
			answer.Answer = append(answer.Answer, &dns.CNAME{Hdr: header, Target: dns.Fqdn(target)})
		}
	}
	if len(answer.Answer) == 0 {
		answer.Rcode = dns.RcodeNameError
	}
	z.mu.Lock()
	if z.forge {
		answer.Question[0].Name = "elsewhere.test."
	}
	z.mu.Unlock()
	answer.Truncate(most)
	_ = w.WriteMsg(answer) // the client may be gone
}

// parts splits a text into the strings of a TXT record, of 255 bytes at most.
func parts(text string) (list []string) {
	for len(text) > 255 {
		list, text = append(list, text[:255]), text[255:]
	}
	return append(list, text)
}
