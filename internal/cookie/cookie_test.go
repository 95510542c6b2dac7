package cookie_test

import (
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/internal/cookie"
)

func TestRuleOfAnAddress(t *testing.T) {
	t.Parallel()
	for host, local := range map[string]cookie.Rule{
		"localhost": cookie.Local, "demo.localhost": cookie.Local, "a.b.localhost": cookie.Local, "notlocalhost": cookie.None, "localhost.evil.test": cookie.None,
		"shop.test": cookie.None, "127.0.0.1": cookie.None, "": cookie.None,
	} {
		if got := cookie.For(false, host); got != local {
			t.Errorf("http://%s: %d, want %d", host, got, local)
		}
		if got := cookie.For(true, host); got != cookie.Secure {
			t.Errorf("https://%s: %d", host, got)
		}
	}
}

func TestSetAndReadByRule(t *testing.T) {
	t.Parallel()
	name := cookie.Named("a")
	for rule, want := range map[cookie.Rule]string{
		cookie.None: "", cookie.Local: "a=v; Path=/; Max-Age=60; HttpOnly; SameSite=Lax", cookie.Secure: "__Host-a=v; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax",
	} {
		var h fasthttp.ResponseHeader
		rule.Set(&h, name, "v", time.Minute)
		if got := string(h.Peek("Set-Cookie")); got != want {
			t.Errorf("rule %d sets %q, want %q", rule, got, want)
		}
		var gone fasthttp.ResponseHeader
		rule.Set(&gone, name, "", 0)
		if got := string(gone.Peek("Set-Cookie")); strings.Contains(got, "a=; Path=/; Max-Age=0;") != (want != "") {
			t.Errorf("rule %d deletes it with %q", rule, got)
		}
		var framed fasthttp.ResponseHeader
		rule.SetFramed(&framed, name, "v", time.Minute)
		if got, end := string(framed.Peek("Set-Cookie")), "a=v; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=None; Partitioned"; !strings.HasSuffix(got, end) {
			t.Errorf("rule %d sets %q in a frame, want %q", rule, got, end)
		}
		for sent, reads := range map[string]string{"a=plain": "plain", "__Host-a=bound": "bound"} {
			var asked fasthttp.RequestHeader
			asked.Set("Cookie", sent)
			believed := rule == cookie.Local && reads == "plain" || rule == cookie.Secure && reads == "bound"
			if got := string(rule.Value(&asked, name)); (got == reads) != believed || !believed && got != "" {
				t.Errorf("rule %d reads %q of %q", rule, got, sent)
			}
			if !name.Present(&asked) {
				t.Errorf("%q is not seen", sent)
			}
		}
	}
}
