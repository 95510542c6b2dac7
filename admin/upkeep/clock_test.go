package upkeep_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/intake"
	"vitrine/admin/upkeep"
	"vitrine/internal/blob"
	"vitrine/internal/store"
)

const year = 365 * 24 * time.Hour

// worker is an upkeep on a machine whose clock differs from the database's.
func (h fixture) worker(ahead time.Duration) *upkeep.Upkeep {
	return upkeep.New(h.Store, h.Blobs, slog.New(slog.DiscardHandler), func() time.Time { return h.Clock.Now().Add(ahead) })
}

// The statements of a round, of all sweeps, have the same parameters whatever the machine's clock says.
func TestEverySweepAsksByTheClockOfTheDatabase(t *testing.T) {
	h := open(t)
	sent := func(ahead time.Duration) (list []string) {
		h.Sent.Take()
		if err := h.worker(ahead).Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, s := range h.Sent.Take() {
			if strings.Contains(s.SQL, "'upkeep'") { // it records how long the round took
				continue
			}
			args, err := json.Marshal(s.Args)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, fmt.Sprintf("%s %s", s.SQL, args))
		}
		return list
	}
	right := sent(0)
	if len(right) < 50 {
		t.Fatalf("%d statements are too few for a round", len(right))
	}
	for _, ahead := range []time.Duration{-year, year} {
		for i, statement := range sent(ahead) {
			if i >= len(right) || statement != right[i] {
				t.Errorf("by a clock that is %v ahead: %s", ahead, statement)
			}
		}
	}
}

// A process with a wrong clock deletes neither a shop that can still be restored nor an upload in progress.
func TestAWrongClockDeletesNothingBeforeItsTime(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{-year, year} {
		t.Run(ahead.String(), func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			dir, err := blob.OpenDir(root)
			if err != nil {
				t.Fatal(err)
			}
			a := apitest.New(t, func(cfg *admin.Config) { cfg.Blobs = dir })
			a.Blobs, a.Store.TestClock = dir, func() time.Time { return a.Clock.Now().Add(-ahead) }
			h := fixture{a, upkeep.New(a.Store, dir, slog.New(slog.DiscardHandler), a.Clock.Now), t}
			up, err := intake.New(a.Store, dir, slog.New(slog.DiscardHandler)).Reserve(t.Context(), a.Shop.ID, blob.Ref{Size: 50})
			if err == nil {
				_, err = up.Put(t.Context(), strings.NewReader("counted"))
			}
			if err == nil {
				_, err = dir.Put(t.Context(), strings.NewReader("in flight"), 50)
			}
			half := filepath.Join(root, "tmp", "put-half")
			if err := errors.Join(err, os.WriteFile(half, []byte("half a bo"), 0o600)); err != nil {
				t.Fatal(err)
			}
			h.round()
			if _, err := os.Stat(half); err != nil || !h.kept("counted") {
				t.Errorf("an upload in progress was removed: %v", err)
			}
			a.OK("DELETE", "/v1/shop", a.Session(a.OwnerID), m{"slug": "tea"})
			h.Clock.Advance(store.RestoreWindow - 25*time.Hour)
			for range 24 * time.Hour / upkeep.Every {
				if err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
					return errors.Join(err, os.Chtimes(path, time.Time{}, h.Clock.Now().Add(-time.Minute))) // as if they were put again
				}); err != nil {
					t.Fatal(err)
				}
				h.round()
				h.Clock.Advance(upkeep.Every)
			}
			if !h.kept("in flight") {
				t.Error("an object that was put a minute ago was removed")
			}
			a.OK("POST", "/v1/shop/restore", a.Session(a.OwnerID), nil)
			a.OK("DELETE", "/v1/shop", a.Session(a.OwnerID), m{"slug": "tea"})
			h.Clock.Advance(store.RestoreWindow)
			h.round()
			a.Refused("POST", "/v1/shop/restore", a.Session(a.OwnerID), nil, 403, "ROLE_REQUIRED") // its rows are gone
		})
	}
}
