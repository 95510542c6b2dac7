package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

func openCounted(t *testing.T) (*store.Store, shop.CompanyID, *storetest.Counter) {
	t.Helper()
	counter := &storetest.Counter{}
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate), store.Traced(counter))
	check(t, err)
	t.Cleanup(s.Close)
	id := newShop(t, s, "first")
	counter.TakeTrips()
	return s, id, counter
}

// number reads n from the database.
func number(ctx context.Context, r store.Reader, n int) (got int, err error) {
	err = r.DB.QueryRow(ctx, `SELECT $1::integer`, n).Scan(&got)
	return got, err
}

func TestReadsTogetherTakeTheRoundTripsOfTheLongest(t *testing.T) {
	t.Parallel()
	s, id, counter := openCounted(t)
	var got []int
	chain := func(from, length int) func(store.Reader) error {
		return func(r store.Reader) error {
			for n := range length {
				v, err := number(t.Context(), r, from+n)
				if err != nil {
					return err
				}
				got = append(got, v)
			}
			return nil
		}
	}
	nested := func(r store.Reader) error {
		if err := chain(30, 1)(r); err != nil {
			return err
		}
		if err := r.Together(t.Context(), chain(40, 1), chain(50, 2)); err != nil {
			return err
		}
		return chain(60, 1)(r)
	}
	silent := func(store.Reader) error { return nil }
	check(t, s.Shop(id).Together(t.Context(), chain(10, 1), chain(20, 3), nested, silent))
	if n := counter.TakeTrips(); n != 4 {
		t.Errorf("%d round trips, the longest read needs 4", n)
	}
	slices.Sort(got)
	if want := []int{10, 20, 21, 22, 30, 40, 50, 51, 60}; !slices.Equal(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
	check(t, s.Shop(id).Together(t.Context()))
}

func TestStatementsAreSentInTheOrderOfTheReads(t *testing.T) {
	t.Parallel()
	s, id, counter := openCounted(t)
	read := func(numbers ...int) func(store.Reader) error {
		return func(r store.Reader) error {
			for _, n := range numbers {
				if _, err := number(t.Context(), r, n); err != nil {
					return err
				}
			}
			return nil
		}
	}
	counter.Take()
	check(t, s.Shop(id).Together(t.Context(),
		func(r store.Reader) error {
			if err := r.Together(t.Context(), read(1), read(2)); err != nil {
				return err
			}
			return read(4)(r)
		},
		read(3, 5)))
	var sent []any
	for _, statement := range counter.Take() {
		sent = append(sent, statement.Args...)
	}
	if want := []any{1, 2, 3, 4, 5}; !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
}

func TestReadsTogetherGetTheirOwnRows(t *testing.T) {
	t.Parallel()
	s, id, _ := openCounted(t)
	many := func(n int) func(store.Reader) error {
		return func(r store.Reader) error {
			rows, err := r.DB.Query(t.Context(), `SELECT i, 'row ' || i, CASE WHEN i > 1 THEN i::numeric END, $1::text[] FROM generate_series(1, $2::integer) i`, []string{"a", ""}, n)
			if err != nil {
				return err
			}
			type row struct {
				N     int
				Text  string
				Maybe *float64
				List  []string
			}
			list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
			if err != nil {
				return err
			}
			if len(list) != n {
				return fmt.Errorf("%d rows, want %d", len(list), n)
			}
			for i, r := range list {
				if r.N != i+1 || r.Text != fmt.Sprint("row ", i+1) || (r.Maybe == nil) != (i == 0) || !slices.Equal(r.List, []string{"a", ""}) {
					return fmt.Errorf("row %d is %+v", i, r)
				}
			}
			return nil
		}
	}
	missing := func(r store.Reader) error {
		var n int
		if err := r.DB.QueryRow(t.Context(), `SELECT 1 WHERE false`).Scan(&n); !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("no row: %v", err)
		}
		return nil
	}
	check(t, s.Shop(id).Together(t.Context(), many(0), many(1), missing, many(300)))
}

func TestAFailureOfAReadIsReturned(t *testing.T) {
	t.Parallel()
	s, id, _ := openCounted(t)
	refused := errors.New("refused")
	finished := false
	err := s.Shop(id).Together(t.Context(),
		func(store.Reader) error { return refused },
		func(r store.Reader) error { _, err := number(t.Context(), r, 1); finished = err == nil; return err })
	if !errors.Is(err, refused) || !finished {
		t.Errorf("%v, the other read finished: %v", err, finished)
	}
	if err := s.Shop(id).Together(t.Context(), func(r store.Reader) error {
		var n int
		return r.DB.QueryRow(t.Context(), `SELECT 1/0`).Scan(&n)
	}); err == nil {
		t.Error("a statement that failed is not reported")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Shop(id).Together(ended, func(r store.Reader) error { _, err := number(ended, r, 1); return err }); err == nil {
		t.Error("a cancelled context is not reported")
	}
	if n, err := number(t.Context(), s.Shop(id), 7); n != 7 || err != nil {
		t.Errorf("afterwards: %d, %v", n, err)
	}
}

func TestAPanicOfAReadReachesItsCaller(t *testing.T) {
	t.Parallel()
	s, id, _ := openCounted(t)
	var other error
	func() {
		defer func() {
			if v := recover(); v != "broken" {
				t.Errorf("recovered %v", v)
			}
		}()
		_ = s.Shop(id).Together(t.Context(),
			func(r store.Reader) error { _, other = number(t.Context(), r, 1); return other },
			func(store.Reader) error { panic("broken") })
	}()
	if other == nil {
		t.Error("the read beside it was answered")
	}
}
