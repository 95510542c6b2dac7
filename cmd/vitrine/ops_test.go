package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// A page whose host name was made to resolve to the operator's machine (DNS rebinding) cannot
// read the ops listener there.
func TestOpsListenerAcceptsOnlyItsOwnHosts(t *testing.T) {
	s := Settings{OpsListen: "ops.internal:8082", OpsHosts: "metrics.example, Other.Example"}
	h := onlyHosts(s.opsHosts(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	for host, want := range map[string]int{
		"127.0.0.1:8082": 200, "10.0.0.7": 200, "[::1]:8082": 200, "localhost:8082": 200, "LOCALHOST": 200, "localhost.": 200, "ops.internal:8082": 200,
		"metrics.example": 200, "other.example:80": 200, "evil.example": 421, "127.0.0.1.evil.example": 421, "demo.localhost:8082": 421, "": 421,
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host = host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%q: %d, want %d", host, w.Code, want)
		}
	}
}

func TestMetricsNameTheBuild(t *testing.T) {
	w := httptest.NewRecorder()
	newOps(newHealth(), false, nil, slog.New(slog.DiscardHandler)).http.Handler.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/metrics", nil))
	if want := `vitrine_build_info{commit="",goversion="` + runtime.Version() + `",version="unknown"} 1`; !strings.Contains(w.Body.String(), want) {
		t.Errorf("%d, no %s", w.Code, want)
	}
}

// The cabinet keeps its session at the address that the program names after a start without settings.
func TestAdminAddressOfThisMachineIsLocalhost(t *testing.T) {
	for listen, want := range map[string]string{
		"127.0.0.1:8081": "http://localhost:8081", ":8081": "http://localhost:8081", "0.0.0.0:80": "http://localhost:80", "[::1]:8081": "http://localhost:8081",
		"10.0.0.7:8081": "http://10.0.0.7:8081", "[2001:db8::1]:8081": "http://[2001:db8::1]:8081", "admin.internal:8081": "http://admin.internal:8081",
	} {
		if got := (&Settings{AdminListen: listen}).adminURL(); got != want {
			t.Errorf("%s: %s, want %s", listen, got, want)
		}
	}
	if got := (&Settings{AdminListen: ":8081", AdminURL: "https://admin.example/"}).adminURL(); got != "https://admin.example" {
		t.Error(got)
	}
}
