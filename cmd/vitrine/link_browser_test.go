package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// linker is an assistant that buyers of the demo shop link with their accounts.
type linker struct {
	*httptest.Server
	p              *program
	origin, client string // of the shop, and the assistant's id in it
}

const linkVerifier = "an-unguessable-verifier-of-more-than-43-characters"

func newLinker(t *testing.T, p *program) *linker {
	t.Helper()
	l := &linker{p: p, origin: "http://demo.localhost:" + portOf(t, p.edge)}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, `<link rel="icon" href="data:,"><main>Back at the assistant</main>`) //nolint:errcheck // the client may be gone
			return
		}
		w.Write(platformProfile()) //nolint:errcheck // the client may be gone
	}))
	t.Cleanup(l.Close)
	status, out := l.send("POST", "/api/oauth/register", "", "application/json", `{"client_name":"Teatime, your assistant for everything that is brewed","redirect_uris":["`+l.URL+`/callback"]}`)
	if l.client, _ = out["client_id"].(string); status != 201 {
		t.Fatalf("the registration: %d %v", status, out)
	}
	return l
}

// send makes a call of the assistant at the shop's host, for a buyer if it has a token.
func (l *linker) send(method, path, token, kind, body string) (status int, out map[string]any) {
	l.p.t.Helper()
	r, err := http.NewRequest(method, "http://"+l.p.edge+path, strings.NewReader(body))
	if err != nil {
		l.p.t.Fatal(err)
	}
	r.Host = strings.TrimPrefix(l.origin, "http://")
	r.Header.Set("UCP-Agent", fmt.Sprintf("profile=%q", l.URL))
	r.Header.Set("Content-Type", kind)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := direct.Do(r)
	if err != nil {
		l.p.t.Fatal(err)
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
		l.p.t.Fatalf("%s: %v", path, err)
	}
	if answer.StatusCode == 401 && !strings.Contains(answer.Header.Get("WWW-Authenticate"), `realm="`+l.origin+`"`) {
		l.p.t.Errorf("the challenge of %s: %v", path, answer.Header)
	}
	return answer.StatusCode, out
}

// asks is the address to which the assistant sends a buyer.
func (l *linker) asks() string {
	sum := sha256.Sum256([]byte(linkVerifier))
	return "/account/link?" + url.Values{
		"response_type": {"code"}, "client_id": {l.client}, "redirect_uri": {l.URL + "/callback"}, "state": {"a b"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode()
}

// An assistant sends a buyer to the shop. They sign in, refuse, are asked again, agree with their password
// or a code of a letter, and find the assistant's order in their history; when they end the link, its token
// is refused at once. In a wide and a narrow window, and without scripts.
func TestABuyerLinksAnAssistantAndEndsTheLink(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.env = append(p.env, "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8")
	p.start()
	l := newLinker(t, p)
	core, found := axeCore(t), map[string]bool{}
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		email := name + "@linked.example"
		p.must("", "POST", "/v1/auth/register", map[string]any{"email": email, "password": "a long password", "name": "Ines Baker"})
		b.open(l.asks(), width)
		shoot(t, b.ctx, "/link/"+name+"/enter", width)
		b.signsIn(email, "a long password")
		b.until(`location.pathname === '/account/link' && document.querySelector('[value=allow]')`)
		b.is(`document.querySelector('main').innerText.includes('Teatime') && document.querySelectorAll('.v-rights li').length`, "3")
		b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
		shoot(t, b.ctx, "/link/"+name+"/asked", width)
		if script {
			b.axeHere(core, "the page that asks", found)
		}
		b.click("[value=deny]")
		b.returns(l, `error=access_denied`)

		b.open(l.asks(), width)
		b.types("[name=password]", "another password")
		b.click("[value=allow]")
		b.until(`document.readyState === 'complete' && document.querySelector('[role=alert]')?.textContent && document.querySelector('[value=allow]')`)
		shoot(t, b.ctx, "/link/"+name+"/wrong", width)
		if script {
			b.types("[name=password]", "a long password")
		} else {
			b.click("[value=ask]")
			b.until(`document.readyState === 'complete' && document.querySelector('.v-form [role=status]')?.textContent.includes('` + email + `')`)
			shoot(t, b.ctx, "/link/"+name+"/sent", width)
			b.types("[name=code]", sixDigits.FindString(p.letterTo(email)))
		}
		b.click("[value=allow]")
		b.returns(l, `iss=`+url.QueryEscape(l.origin))
		code := b.text(`new URL(location).searchParams.get('code')`)
		b.is(`new URL(location).searchParams.get('state') + ' ' + document.referrer`, "a b "+l.origin+"/")
		status, tokens := l.send("POST", "/api/oauth/token", "", "application/x-www-form-urlencoded", url.Values{
			"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {l.URL + "/callback"}, "client_id": {l.client}, "code_verifier": {linkVerifier},
		}.Encode())
		token, _ := tokens["access_token"].(string)
		if status != 200 || token == "" {
			t.Fatalf("the exchange: %d %v", status, tokens)
		}

		number := l.buys(token)
		b.open("/orders", width)
		b.until(`document.querySelector('.v-order__name')?.textContent.includes('` + number + `')`)
		b.is(`document.querySelectorAll('.v-order').length`, "1")
		b.open("/account", width)
		b.until(`document.querySelector('[value=unlink]')`)
		b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
		shoot(t, b.ctx, "/link/"+name+"/linked", width)
		if script {
			b.axeHere(core, "the account with a link", found)
		}
		b.click("[value=unlink]")
		b.until(`document.readyState === 'complete' && document.querySelector('[value=leave]') && !document.querySelector('[value=unlink]')`)
		shoot(t, b.ctx, "/link/"+name+"/unlinked", width)
		b.quiet("401") // to the wrong password
		if status, out := l.send("POST", "/api/ucp/checkout-sessions", token, "application/json", `{"line_items":[{"item":{"id":"21"},"quantity":1}]}`); status != 401 {
			t.Errorf("after the end of the link: %d %v", status, out)
		}
	})
}

// returns waits until the browser is at the assistant, with a text in the address.
func (b *tab) returns(l *linker, with string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`location.href.startsWith(%q) && location.search.includes(%q) && document.querySelector('main')`, l.URL+"/callback?", with))
}

// buys places an order for a linked buyer and returns its number.
func (l *linker) buys(token string) string {
	l.p.t.Helper()
	_, made := l.send("POST", "/api/ucp/checkout-sessions", token, "application/json", `{
		"line_items": [{"item": {"id": "21"}, "quantity": 1}],
		"buyer": {"first_name": "Ines", "last_name": "Baker", "email": "ines@linked.example", "phone_number": "+49 30 123456"},
		"fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "Rua do Alecrim 12", "address_locality": "Berlin", "postal_code": "10115", "address_country": "DE"}]}]}
	}`)
	_, done := l.send("POST", fmt.Sprintf("/api/ucp/checkout-sessions/%v/complete", made["id"]), token, "application/json",
		`{"payment": {"instruments": [{"id": "i1", "handler_id": "manual", "type": "offline", "selected": true}]}}`)
	order, _ := done["order"].(map[string]any)
	status, read := l.send("GET", fmt.Sprintf("/api/ucp/orders/%v", order["id"]), token, "", "")
	if order == nil || status != 200 || read["id"] != order["id"] {
		l.p.t.Fatalf("%v %v %d %v", made, done, status, read)
	}
	return fmt.Sprint(order["label"])
}
