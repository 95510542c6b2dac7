package assist_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine/internal/httpsig"
	"vitrine/internal/httpsig/httpsigtest"
)

// signer returns the id of the key with which the shop signs now.
func (f *fixture) signer() string {
	f.t.Helper()
	m := httpsigtest.Message{Method: "GET", URL: "https://platform.example/", Header: map[string]string{}}
	fields, err := f.keys.Sign(f.t.Context(), f.Shop.ID, m.Ours(f.t))
	if err != nil {
		f.t.Fatal(err)
	}
	id, err := httpsig.Verify(m.With(fields).Ours(f.t), httpsig.ParseKeys(f.publicKeys()), f.Clock.Now())
	if err != nil {
		f.t.Fatal(err)
	}
	return id
}

func (f *fixture) published() (ids []string) {
	for _, k := range f.publicKeys() {
		ids = append(ids, k.ID)
	}
	return ids
}

// However many calls need the first key of a shop at once, one is made; another shop has another.
func TestAShopHasOneSigningKey(t *testing.T) {
	t.Parallel()
	f := open(t)
	twin := keysOf(f.Twin())
	var all sync.WaitGroup
	found := make([]string, 16)
	for i := range found {
		all.Go(func() {
			process := f.keys
			if i%2 == 1 {
				process = twin
			}
			if keys, err := process.Public(t.Context(), f.Shop.ID); err == nil && len(keys) == 1 {
				found[i] = keys[0].ID
			}
		})
	}
	all.Wait()
	if slices.Sort(found); found[0] == "" || found[0] != found[15] {
		t.Errorf("%q", found)
	}
	if others, err := f.keys.Public(t.Context(), f.Other.ID); err != nil || others[0].ID == found[0] {
		t.Errorf("%v, %v", others, err)
	}
	var texts int
	if err := f.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM assist_key WHERE position('\x30'::bytea IN sealed) = 1`).Scan(&texts); err != nil || texts != 0 {
		t.Errorf("%d keys are stored as they are, %v", texts, err)
	}
}

// A new key is published at once and signs once everybody knows it; the former one is published for a week more.
func TestAReplacedKeyStaysPublishedForAWeek(t *testing.T) {
	t.Parallel()
	f := open(t)
	first := f.signer()
	f.Refused("POST", "/v1/shop/assistants/key/rotate", f.Session(f.EditorID), m{}, 403, "ROLE_REQUIRED")
	f.OK("POST", "/v1/shop/assistants/key/rotate", f.seller, m{})
	both := f.published()
	if len(both) != 2 || both[1] != first || both[0] == first {
		t.Fatalf("%q are published, the first was %s", both, first)
	}
	f.Clock.Advance(9 * time.Minute)
	if got := f.signer(); got != first {
		t.Errorf("after 9 minutes %s signs, not %s", got, first)
	}
	f.Clock.Advance(2 * time.Minute)
	if got := f.signer(); got != both[0] {
		t.Errorf("after 11 minutes %s signs, not %s", got, both[0])
	}
	f.Clock.Advance(7*24*time.Hour - 12*time.Minute)
	if got := f.published(); len(got) != 2 {
		t.Errorf("after almost a week: %q", got)
	}
	f.Clock.Advance(2 * time.Minute)
	if got := f.published(); len(got) != 1 || got[0] != both[0] {
		t.Errorf("after a week: %q", got)
	}
	f.seller = f.Session(f.OwnerID)
	f.OK("POST", "/v1/shop/assistants/key/rotate", f.seller, m{})
	f.OK("POST", "/v1/shop/assistants/key/rotate", f.seller, m{})
	if got := f.published(); len(got) != 3 || f.signer() != both[0] {
		t.Errorf("%q, %s signs", got, f.signer())
	}
}

// What signs needs the database once a minute.
func TestSigningReadsNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	m := httpsigtest.Message{Method: "GET", URL: "https://platform.example/", Header: map[string]string{}}
	sign := func() {
		if _, err := f.keys.Sign(t.Context(), f.Shop.ID, m.Ours(t)); err != nil {
			t.Fatal(err)
		}
	}
	sign()
	f.Sent.Take()
	for range 100 {
		sign()
	}
	if sent := f.Sent.Take(); len(sent) != 0 {
		t.Errorf("%d statements", len(sent))
	}
}
