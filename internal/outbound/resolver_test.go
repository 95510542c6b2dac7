package outbound_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/outbound"
	"vitrine/internal/outbound/dnstest"
)

func TestRecordsAreReadUnchanged(t *testing.T) {
	t.Parallel()
	zone := &dnstest.Zone{}
	r, err := outbound.NewResolver(zone.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 900) // in four strings, too many for UDP
	zone.SetTXT("_vitrine.tea.test", "first", long)
	zone.SetCNAME("tea.test", "Tea.Shops.Test")
	zone.SetCNAME("tea.shops.test", "balancer.test") // the target has its own target, which must be ignored
	if texts, err := r.TXT(t.Context(), "_vitrine.tea.test"); err != nil || !slices.Equal(texts, []string{"first", long}) {
		t.Errorf("%q, %v", texts, err)
	}
	if target, err := r.CNAME(t.Context(), "TEA.test"); err != nil || target != "tea.shops.test" {
		t.Errorf("%q, %v", target, err)
	}
	if texts, err := r.TXT(t.Context(), "no.test"); err != nil || len(texts) > 0 {
		t.Errorf("a name that does not exist: %q, %v", texts, err)
	}
	if target, err := r.CNAME(t.Context(), "no.test"); err != nil || target != "" {
		t.Errorf("a name that does not exist: %q, %v", target, err)
	}
	zone.Silence(true)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.TXT(ctx, "_vitrine.tea.test"); err == nil {
		t.Error("no error although the server does not answer")
	}
}

func TestADNSServerIsHostAndPort(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"dns.test", "127.0.0.1", ":53", "127.0.0.1:", "127.0.0.1:dns", "127.0.0.1:70000", "127.0.0.1:0"} {
		if _, err := outbound.NewResolver(wrong); err == nil {
			t.Errorf("%q is accepted", wrong)
		}
	}
	if _, err := outbound.NewResolver(""); err != nil {
		t.Error(err)
	}
}

// An answer that does not repeat the question is ignored.
func TestAnswersToOtherQuestionsAreIgnored(t *testing.T) {
	t.Parallel()
	zone := &dnstest.Zone{}
	r, err := outbound.NewResolver(zone.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	zone.SetTXT("_vitrine.tea.test", "proof")
	zone.Forge(true)
	if texts, err := r.TXT(t.Context(), "_vitrine.tea.test"); err == nil || len(texts) > 0 {
		t.Errorf("%q, %v", texts, err)
	}
	zone.Forge(false)
	if texts, err := r.TXT(t.Context(), "_vitrine.tea.test"); err != nil || !slices.Equal(texts, []string{"proof"}) {
		t.Errorf("%q, %v", texts, err)
	}
}
