package store_test

import (
	"testing"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// The cost of a look at a platform of 10,000 shops, in which nothing has changed, beside that of
// a round trip.
func BenchmarkFollow(b *testing.B) {
	s, err := store.Open(b.Context(), storetest.URL(b, store.Migrate), storetest.FewConnections)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	for _, sql := range []string{
		`INSERT INTO company (slug, name, currency, version) SELECT 's' || n, 'S', 'EUR', 20 FROM generate_series(1, 10000) n`,
		`INSERT INTO company_change (company_id, version, kinds, ids) SELECT id, v, '{1}', '{0}' FROM company, generate_series(1, 20) v`,
		`ANALYZE`,
	} {
		if _, err := s.Pool.Exec(b.Context(), sql); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("reference", func(b *testing.B) {
		for b.Loop() {
			if err := s.Ping(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("look", func(b *testing.B) {
		f, err := s.Follow(b.Context(), store.Moment{})
		for b.Loop() {
			if err != nil || len(f.Versions) != 0 {
				b.Fatal(len(f.Versions), err)
			}
			f, err = s.Follow(b.Context(), f.Now)
		}
	})
}
