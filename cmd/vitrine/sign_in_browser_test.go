package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"
)

// adminTab is a tab on a page of the admin origin, from which its scripts call the API.
func adminTab(t testing.TB, p *program) *tab {
	t.Helper()
	b := p.tab(t)
	b.host = "http://admin.localhost:" + portOf(t, p.admin)
	b.open("/docs/scopes.json", 1280)
	return b
}

// calls sends a call as a script of the page and returns its status and body.
func (b *tab) calls(method, path string, body any) (status int, answer map[string]any) {
	b.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	got := b.awaited(fmt.Sprintf(`fetch(%[1]q, { method: %[2]q, headers: { 'Content-Type': 'application/json' }, body: %[2]q === 'GET' ? undefined : JSON.stringify(%[3]s) })
		.then(async (r) => r.status + ' ' + await r.text())`, path, method, text))
	if _, err := fmt.Sscan(got, &status); err != nil {
		b.t.Fatalf("%s %s: %s", method, path, got)
	}
	if strings.Contains(got, "vs_") {
		b.t.Errorf("%s %s: a script reads the token: %s", method, path, got)
	}
	_, got, _ = strings.Cut(got, " ")
	if err := json.Unmarshal([]byte(got), &answer); err != nil {
		b.t.Fatalf("%s %s: %s", method, path, got)
	}
	return status, answer
}

// answers is calls for a call that must answer with a status; it returns the object in result.
func (b *tab) answers(status int, method, path string, body any) map[string]any {
	b.t.Helper()
	got, answer := b.calls(method, path, body)
	if got != status {
		b.t.Fatalf("%s %s: %d %v, want %d", method, path, got, answer, status)
	}
	result, _ := answer["result"].(map[string]any)
	return result
}

// hasPasskeys gives the tab a device that verifies its user.
func (b *tab) hasPasskeys() {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		b.t.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, webauthn.Enable, webauthn.EnableParams{}); err != nil {
		b.t.Fatal(err)
	}
	device := &webauthn.VirtualAuthenticatorOptions{
		Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}
	if _, err := chromedp.Call(b.ctx, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: device}); err != nil {
		b.t.Fatal(err)
	}
}

// device returns what the browser's device answers to the options of a call.
func (b *tab) device(call string, options any) map[string]any {
	b.t.Helper()
	text, err := json.Marshal(options)
	if err != nil {
		b.t.Fatal(err)
	}
	parse := map[string]string{"create": "parseCreationOptionsFromJSON", "get": "parseRequestOptionsFromJSON"}[call]
	got := b.awaited(fmt.Sprintf(`navigator.credentials.%s({ publicKey: PublicKeyCredential.%s(%s) }).then((c) => JSON.stringify(c.toJSON()))`, call, parse, text))
	var made map[string]any
	if err := json.Unmarshal([]byte(got), &made); err != nil {
		b.t.Fatal(got)
	}
	return made
}

// A person signs in on the admin origin with a password and an authenticator app, then with a
// passkey, and ends the session of another browser.
func TestSignInWithAnAppAndAPasskeyAndSignOutElsewhere(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin))
	p.shop("tea")
	p.start()
	login := func(more ...string) map[string]any {
		body := map[string]any{"email": "tea@example.test", "password": "a long password", "cookie": true}
		for i := 0; i < len(more); i += 2 {
			body[more[i]] = more[i+1]
		}
		return body
	}
	b := adminTab(t, p)
	b.answers(200, "POST", "/v1/auth/login", login())
	b.is(`document.cookie`, "")
	if me := b.answers(200, "GET", "/v1/auth/me", nil); me["email"] != "tea@example.test" || me["role"] != "owner" {
		t.Errorf("%v", me)
	}

	// The app.
	secret := b.answers(200, "POST", "/v1/auth/totp", map[string]any{})["secret"].(string)
	shown := time.Now()
	code := func(after time.Duration) string {
		code, err := totp.GenerateCode(secret, shown.Add(after))
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	recovery := b.answers(200, "POST", "/v1/auth/totp/confirm", map[string]any{"code": code(0)})["recovery_codes"].([]any)
	b.answers(200, "POST", "/v1/auth/logout", map[string]any{})
	b.answers(401, "GET", "/v1/auth/me", nil)
	if status, asked := b.calls("POST", "/v1/auth/login", login()); status != 401 || fmt.Sprint(asked["methods"]) != "[totp recovery_code]" {
		t.Errorf("%d %v", status, asked)
	}
	b.answers(401, "POST", "/v1/auth/login", login("totp", code(0))) // used
	b.answers(200, "POST", "/v1/auth/login", login("totp", code(30*time.Second)))

	// The passkey.
	b.hasPasskeys()
	made := b.device("create", b.answers(200, "POST", "/v1/auth/passkeys/register/begin", map[string]any{})["publicKey"])
	made["name"] = "Laptop"
	b.answers(200, "POST", "/v1/auth/passkeys/register/finish", made)
	b.answers(200, "POST", "/v1/auth/logout", map[string]any{})
	proof := b.device("get", b.answers(200, "POST", "/v1/auth/passkeys/login/begin", map[string]any{})["publicKey"])
	proof["cookie"] = true
	b.answers(200, "POST", "/v1/auth/passkeys/login/finish", proof)
	b.answers(401, "POST", "/v1/auth/passkeys/login/finish", proof) // used
	b.answers(200, "GET", "/v1/auth/me", nil)

	// Another browser, which is signed out from this one.
	other := adminTab(t, p)
	other.answers(200, "POST", "/v1/auth/login", login("recovery_code", recovery[0].(string)))
	other.answers(200, "GET", "/v1/auth/me", nil)
	_, list := b.calls("GET", "/v1/auth/sessions", nil)
	ended := 0
	for _, row := range list["result"].([]any) {
		if row := row.(map[string]any); row["current"] != true {
			b.answers(200, "DELETE", "/v1/auth/sessions/"+row["id"].(string), map[string]any{})
			ended++
		}
	}
	if ended != 1 {
		t.Errorf("%d other sessions: %v", ended, list)
	}
	other.answers(401, "GET", "/v1/auth/me", nil)
	b.answers(200, "GET", "/v1/auth/me", nil)

	// The account page of a shop asks for the second factor, too.
	buyer, form := p.tab(t), "form:has([value=login]) "
	buyer.open("/account", 1280)
	buyer.types(form+"[name=email]", "tea@example.test")
	buyer.types(form+"[name=password]", "a long password")
	buyer.click(form + "[value=login]")
	buyer.until(`document.querySelector('form:has([value=login]) [name=factor]')`)
	buyer.types(form+"[name=password]", "a long password")
	buyer.types(form+"[name=factor]", strings.ToUpper(recovery[1].(string)))
	buyer.click(form + "[value=login]")
	buyer.until(`document.querySelector('[value=leave]')`)

	// The address bar does not use the cookie.
	b.open("/v1/auth/me", 1280)
	if body := b.text(`document.body.textContent`); !strings.Contains(body, "UNAUTHENTICATED") {
		t.Error(body)
	}
}
