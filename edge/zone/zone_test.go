package zone

import "testing"

// A form never redirects to another host, whatever next it contains.
func TestFormsRedirectWithinTheShop(t *testing.T) {
	for address, want := range map[string]string{
		"/orders/7": "/orders/7", "/a?b=c#d": "/a?b=c#d", "": "/account", "/": "/account", "//evil.test": "/account", `/\evil.test`: "/account",
		"https://evil.test": "/account", "javascript:alert(1)": "/account", "/\tx": "/account", "/a\nb": "/account", `/a\b`: "/account",
		"/\u00e9": "/account", " /orders": "/account",
	} {
		if got := local(address, "/account"); got != want {
			t.Errorf("%q leads to %q, want %q", address, got, want)
		}
	}
}
