package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/miekg/dns"
)

// Resolver reads the DNS records by which a domain proves its configuration. The standard
// resolver has no call for the CNAME of the name itself: it follows the chain to its end.
type Resolver struct {
	servers []string // host:port, tried in order
	udp     dns.Client
	tcp     dns.Client
}

const (
	resolverConfig = "/etc/resolv.conf"
	lookUpTimeout  = 5 * time.Second // for a question, with all servers
	serverTimeout  = 2 * time.Second // for one server
)

// NewResolver uses the given server, or those of the system if server is empty.
func NewResolver(server string) (*Resolver, error) {
	r := &Resolver{udp: dns.Client{Timeout: serverTimeout}, tcp: dns.Client{Net: "tcp", Timeout: serverTimeout}}
	if server != "" {
		host, port, err := net.SplitHostPort(server)
		if n, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || n == 0 || host == "" {
			return nil, fmt.Errorf("outbound: %q is not the host:port of a DNS server", server)
		}
		r.servers = []string{server}
		return r, nil
	}
	config, err := dns.ClientConfigFromFile(resolverConfig)
	if err != nil || len(config.Servers) == 0 { // as the standard resolver does
		r.servers = []string{"127.0.0.1:53", "[::1]:53"}
		return r, nil
	}
	for _, host := range config.Servers {
		r.servers = append(r.servers, net.JoinHostPort(host, config.Port))
	}
	return r, nil
}

// TXT returns the TXT records of a name, each with its strings joined.
func (r *Resolver) TXT(ctx context.Context, name string) (texts []string, err error) {
	answer, err := r.ask(ctx, name, dns.TypeTXT)
	if err != nil {
		return nil, err
	}
	for _, record := range answer {
		if txt, ok := record.(*dns.TXT); ok {
			joined := ""
			for _, part := range txt.Txt {
				joined += part
			}
			texts = append(texts, joined)
		}
	}
	return texts, nil
}

// CNAME returns the target of a name's CNAME record, in lower case and without the trailing
// dot; empty if there is none.
func (r *Resolver) CNAME(ctx context.Context, name string) (string, error) {
	answer, err := r.ask(ctx, name, dns.TypeCNAME)
	if err != nil {
		return "", err
	}
	for _, record := range answer {
		if alias, ok := record.(*dns.CNAME); ok && dns.CanonicalName(alias.Hdr.Name) == dns.CanonicalName(name) {
			target := dns.CanonicalName(alias.Target)
			return target[:len(target)-1], nil
		}
	}
	return "", nil
}

var (
	errNoAnswer      = errors.New("outbound: no DNS server answers")
	errOtherQuestion = errors.New("the answer is about another question")
)

// echoes reports whether an answer repeats the question. One that does not was forged by
// somebody who saw or guessed only its id.
func echoes(question, answer *dns.Msg) bool {
	return len(answer.Question) == 1 && answer.Question[0].Qtype == question.Question[0].Qtype && answer.Question[0].Qclass == question.Question[0].Qclass &&
		strings.EqualFold(answer.Question[0].Name, question.Question[0].Name)
}

// ask returns the first answer of the servers. A name that does not exist is an answer.
func (r *Resolver) ask(ctx context.Context, name string, kind uint16) ([]dns.RR, error) {
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	question := new(dns.Msg).SetQuestion(dns.Fqdn(name), kind)
	question.SetEdns0(dns.DefaultMsgSize, false)
	failed := errNoAnswer
	for _, server := range r.servers {
		answer, _, err := r.udp.ExchangeContext(ctx, question, server)
		if err == nil && answer.Truncated {
			answer, _, err = r.tcp.ExchangeContext(ctx, question, server)
		}
		if err == nil && !echoes(question, answer) {
			err = errOtherQuestion
		}
		if err == nil && slices.Contains([]int{dns.RcodeSuccess, dns.RcodeNameError}, answer.Rcode) {
			return answer.Answer, nil
		}
		if err != nil {
			failed = fmt.Errorf("%w: %w", errNoAnswer, err)
		}
	}
	return nil, failed
}
