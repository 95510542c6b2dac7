package acme

import (
	"testing"
	"time"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

func TestCertificatesThatWereNotRenewedAreSwept(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ctx := t.Context()
	for _, key := range []string{"acme/account.key", "certificates/ca/tea.example/tea.example.crt", "certificates/ca/cup.example/cup.example.crt"} {
		if err := Put(ctx, s, key, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Pool.Exec(ctx, `UPDATE acme_value SET stored_at = now() - interval '400 days' WHERE key NOT LIKE '%cup%'`); err != nil {
		t.Fatal(err)
	}
	for name, duration := range map[string]time.Duration{"ended": -time.Second, "held": time.Hour} {
		if _, err := Lease(ctx, s, name, "a", duration); err != nil {
			t.Fatal(err)
		}
	}
	if err := Sweep(ctx, s, time.Now().Add(-398*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"acme/account.key": true, "certificates/ca/tea.example/tea.example.crt": false, "certificates/ca/cup.example/cup.example.crt": true} {
		if _, _, found, err := Get(ctx, s, key); found != want || err != nil {
			t.Errorf("%s is there: %v, %v", key, found, err)
		}
	}
	var leases string
	if err := s.Pool.QueryRow(ctx, `SELECT string_agg(name, ' ') FROM acme_lock`).Scan(&leases); leases != "held" || err != nil {
		t.Errorf("leases: %s, %v", leases, err)
	}
}
