package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
	"vitrine/internal/store/storetest"
)

// withParameter adds a parameter to a database URL.
func withParameter(url, parameter string) string {
	if strings.Contains(url, "?") {
		return url + "&" + parameter
	}
	return url + "?" + parameter
}

func TestPoolSettingsOfTheURLAreApplied(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	for parameter, applied := range map[string]func(*pgxpool.Config) bool{
		"pool_max_conns=3":             func(c *pgxpool.Config) bool { return c.MaxConns == 3 },
		"pool_min_conns=2":             func(c *pgxpool.Config) bool { return c.MinConns == 2 && c.MaxConns == 24 },
		"pool_max_conn_idle_time=7s":   func(c *pgxpool.Config) bool { return c.MaxConnIdleTime == 7*time.Second },
		"pool_max_conn_lifetime=9m":    func(c *pgxpool.Config) bool { return c.MaxConnLifetime == 9*time.Minute },
		"pool_health_check_period=11s": func(c *pgxpool.Config) bool { return c.HealthCheckPeriod == 11*time.Second },
		"connect_timeout=13":           func(c *pgxpool.Config) bool { return c.ConnConfig.ConnectTimeout == 13*time.Second },
		"statement_timeout=59017":      func(c *pgxpool.Config) bool { return c.ConnConfig.RuntimeParams["statement_timeout"] == "59017" },
		"application_name=mine":        func(c *pgxpool.Config) bool { return c.ConnConfig.RuntimeParams["statement_timeout"] == "60000" },
	} {
		if err := store.Migrate(t.Context(), withParameter(url, parameter)); err != nil {
			t.Errorf("migrate with %s: %v", parameter, err)
		}
		var used *pgxpool.Config
		s, err := store.Open(t.Context(), withParameter(url, parameter), func(cfg *pgxpool.Config) { used = cfg })
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		if !applied(used) {
			t.Errorf("%s was not applied", parameter)
		}
	}
}

func TestMigrationsAreNotBoundByTheStatementTimeout(t *testing.T) {
	t.Parallel()
	url := storetest.Clone(t, "no tables", func(context.Context, string) error { return nil })
	if err := store.Migrate(t.Context(), withParameter(url, "statement_timeout=1")); err != nil {
		t.Error(err)
	}
}

func TestStatementsTimeOut(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	untimed, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(untimed.Close)
	id := newShop(t, untimed, "first")
	s, err := store.Open(t.Context(), withParameter(url, "statement_timeout=50"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	err = s.Write(t.Context(), id, func(tx *store.Tx) error {
		if err := tx.LockTree(t.Context()); err != nil {
			return err
		}
		return s.Write(t.Context(), id, func(second *store.Tx) error { return second.LockTree(t.Context()) }) // waits for the lock of the first
	})
	if !store.TimedOut(err) || store.IsUnavailable(err) {
		t.Errorf("%v", err)
	}
}

func TestOutagesAreDistinguishedFromRefusals(t *testing.T) {
	t.Parallel()
	line := &storetest.Line{}
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate), line.Apply)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	id := newShop(t, s, "first")
	if _, err := catalog.GetCategory(t.Context(), s.Shop(id), 77); err == nil || store.IsUnavailable(err) {
		t.Errorf("a missing row: %v", err)
	}
	line.Cut(0)
	for range 3 {
		if _, err := company.Info(t.Context(), s.Shop(id)); !store.IsUnavailable(err) {
			t.Errorf("a cut line: %v", err)
		}
	}
	line.Mend()
	if _, err := company.Info(t.Context(), s.Shop(id)); err != nil {
		t.Errorf("a mended line: %v", err)
	}
}

func TestACommitWithoutAnAnswerIsInDoubt(t *testing.T) {
	t.Parallel()
	line := &storetest.Line{}
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate), line.Apply)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	id := newShop(t, s, "first")
	for step, doubtful := range []bool{false, true} { // lost before the request, then before the answer
		err := s.Write(t.Context(), id, func(tx *store.Tx) error {
			if err := tx.LockTree(t.Context()); err != nil {
				return err
			}
			if _, err := tx.Bump(t.Context()); err != nil { // prepares the last statement
				return err
			}
			line.Cut(step + 3) // after that statement and its answer
			return nil
		})
		if errors.Is(err, store.ErrCommitUnknown) != doubtful || !store.IsUnavailable(err) {
			t.Errorf("step %d: %v", step, err)
		}
		line.Mend()
	}
}
