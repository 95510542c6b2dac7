package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

func claimOf(id shop.CompanyID) *store.Claim {
	return &store.Claim{Company: id, Credential: []byte("a"), Key: "k", Fingerprint: []byte("f")}
}

// beginClaimed claims the key, which must be free, and begins its work.
func beginClaimed(t *testing.T, s *store.Store, id shop.CompanyID, now time.Time) (context.Context, *store.Work) {
	t.Helper()
	c := claimOf(id)
	if before, err := s.Claim(t.Context(), c, now); err != nil || before != nil {
		t.Fatalf("%v, %v", before, err)
	}
	return s.Begin(t.Context(), &store.AuditEntry{Company: id, At: now, Person: 1, Method: "POST", Path: "/categories", Status: 200}, c)
}

func addCategory(ctx context.Context, s *store.Store, id shop.CompanyID, name string) error {
	return s.Write(ctx, id, func(tx *store.Tx) error { return catalog.InsertCategory(ctx, tx, category(name), true) })
}

// count returns how many sections and audit entries a reader in ctx sees.
func count(t *testing.T, ctx context.Context, s *store.Store, id shop.CompanyID) (sections, entries int) {
	t.Helper()
	list, err := catalog.Categories(ctx, s.Shop(id), false)
	if err != nil {
		t.Fatal(err)
	}
	_, entries, err = s.Shop(id).AuditLog(ctx, store.AuditFilter{}, 1, 10)
	if err != nil {
		t.Fatal(err)
	}
	return len(list), entries
}

func TestAClaimCommitsItsWritesAndAnswerTogether(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	notified := 0
	s.OnChange(func(context.Context, shop.CompanyID, int64) { notified++ })
	now := time.Unix(1e9, 0)
	ctx, work := beginClaimed(t, s, id, now)
	wrong := errors.New("no")
	if err := s.Write(ctx, id, func(tx *store.Tx) error {
		return errors.Join(catalog.InsertCategory(ctx, tx, category("lost"), true), wrong)
	}); !errors.Is(err, wrong) {
		t.Fatal(err)
	}
	for _, name := range []string{"tea", "cups"} {
		if err := addCategory(ctx, s, id, name); err != nil {
			t.Fatal(err)
		}
	}
	if n, m := count(t, ctx, s, id); n != 2 || m != 1 {
		t.Errorf("the call itself sees %d sections and %d entries", n, m)
	}
	if n, m := count(t, t.Context(), s, id); n != 0 || m != 0 || notified != 0 {
		t.Errorf("before the end others see %d sections and %d entries, notified %d times", n, m, notified)
	}
	if _, err := s.Claim(t.Context(), claimOf(id), now.Add(time.Minute)); !errors.Is(err, store.ErrKeyInProgress) {
		t.Errorf("a repeat meanwhile: %v", err)
	}
	if err := work.Finish(ctx, store.StoredAnswer{Status: 201, ContentType: "x", Body: []byte("y")}); err != nil {
		t.Fatal(err)
	}
	if n, m := count(t, t.Context(), s, id); n != 2 || m != 1 || notified != 2 {
		t.Errorf("afterwards: %d sections, %d entries, notified %d times", n, m, notified)
	}
	if a, err := s.Claim(t.Context(), claimOf(id), now.Add(time.Hour)); err != nil || a == nil || a.Status != 201 || string(a.Body) != "y" {
		t.Errorf("a repeat: %v, %v", a, err)
	}
}

func TestAnExpiredLeaseFreesTheKeyOfACrashedCall(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	now := time.Unix(1e9, 0)
	ctx, crashed := beginClaimed(t, s, id, now)
	// The process hangs. Its lease expires; a repeated request takes over and finishes.
	after := now.Add(2 * time.Minute)
	other := claimOf(id)
	other.Fingerprint = []byte("g")
	if _, err := s.Claim(t.Context(), other, after); !errors.Is(err, store.ErrKeyReused) {
		t.Errorf("another request: %v", err)
	}
	again, second := beginClaimed(t, s, id, after)
	if err := addCategory(again, s, id, "green"); err != nil {
		t.Fatal(err)
	}
	if err := second.Finish(again, store.StoredAnswer{Status: 200}); err != nil {
		t.Fatal(err)
	}
	// Then the first one continues.
	if err := addCategory(ctx, s, id, "tea"); err != nil {
		t.Fatal(err)
	}
	if err := crashed.Finish(ctx, store.StoredAnswer{Status: 200}); !errors.Is(err, store.ErrKeyInProgress) {
		t.Errorf("finishing the first one: %v", err)
	}
	if n, m := count(t, t.Context(), s, id); n != 1 || m != 1 {
		t.Errorf("%d sections, %d entries", n, m)
	}
}

func TestAFailedCallFreesItsKey(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	now := time.Unix(1e9, 0)
	ctx, work := beginClaimed(t, s, id, now)
	if err := addCategory(ctx, s, id, "tea"); err != nil {
		t.Fatal(err)
	}
	if err := work.Abandon(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, m := count(t, t.Context(), s, id); n != 0 || m != 0 {
		t.Errorf("%d sections, %d entries", n, m)
	}
	_, work = beginClaimed(t, s, id, now)
	if err := work.Abandon(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestSweepsDeleteExpiredRows(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	now := time.Unix(1e9, 0)
	ctx, work := beginClaimed(t, s, id, now)
	if err := errors.Join(addCategory(ctx, s, id, "tea"), work.Finish(ctx, store.StoredAnswer{Status: 200})); err != nil {
		t.Fatal(err)
	}
	sweep := func(at time.Time) {
		if err := errors.Join(s.SweepKeys(t.Context(), at), s.SweepAudit(t.Context(), at)); err != nil {
			t.Fatal(err)
		}
	}
	day := 24 * time.Hour
	sweep(now.Add(day - 1))
	if a, err := s.Claim(t.Context(), claimOf(id), now); err != nil || a == nil {
		t.Errorf("%v, %v", a, err)
	}
	sweep(now.Add(day))
	if _, work = beginClaimed(t, s, id, now); work == nil {
		t.Error("the key still exists")
	}
	sweep(now.Add(90 * day))
	if _, m := count(t, t.Context(), s, id); m != 1 {
		t.Error("an entry of 90 days must be kept")
	}
	sweep(now.Add(90*day + 1e9))
	if _, m := count(t, t.Context(), s, id); m != 0 {
		t.Error("an older entry must be deleted")
	}
}

func TestAClaimCoversOneContour(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	ctx, work := beginClaimed(t, s, id, time.Unix(1e9, 0))
	draft := store.InDraft(ctx, id)
	if err := addCategory(draft, s, id, "tea"); err != nil {
		t.Fatal(err)
	}
	seen := func(ctx context.Context) int {
		n, _ := count(t, ctx, s, id)
		return n
	}
	if a, b := seen(draft), seen(ctx); a != 1 || b != 0 {
		t.Errorf("the call sees %d sections in its draft and %d live", a, b)
	}
	if err := work.Finish(ctx, store.StoredAnswer{Status: 200}); err != nil {
		t.Fatal(err)
	}
	if a, b := seen(store.InDraft(t.Context(), id)), seen(t.Context()); a != 1 || b != 0 {
		t.Errorf("afterwards there are %d sections in the draft and %d live", a, b)
	}
}

func TestWritesAsOneCommitTogetherOrNotAtAll(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	notified := 0
	s.OnChange(func(context.Context, shop.CompanyID, int64) { notified++ })
	wrong := errors.New("no")
	for _, end := range []error{wrong, nil} {
		err := s.AsOne(t.Context(), func(ctx context.Context) error {
			for _, name := range []string{"tea", "cups"} {
				if err := addCategory(ctx, s, id, name); err != nil {
					return err
				}
			}
			if n, _ := count(t, ctx, s, id); n != 2 {
				t.Errorf("the context sees %d sections", n)
			}
			if n, _ := count(t, t.Context(), s, id); n != 0 {
				t.Errorf("others see %d sections before the end", n)
			}
			return end
		})
		if !errors.Is(err, end) {
			t.Fatal(err)
		}
	}
	if n, _ := count(t, t.Context(), s, id); n != 2 || notified != 1 {
		t.Errorf("%d sections, notified %d times", n, notified)
	}
}
