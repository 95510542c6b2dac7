package api

import "testing"

func TestOriginIsSchemeHostAndPort(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://localhost:8081": "http://localhost:8081", "https://admin.example.com": "https://admin.example.com", "https://admin.example.com/base/v1": "https://admin.example.com",
		"https://user:word@admin.example.com:8443/?x=1#y": "https://admin.example.com:8443", "http://[::1]:8081": "http://[::1]:8081", "http://a b": "",
	} {
		if got := (URLs{Admin: address}).Origin(); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
