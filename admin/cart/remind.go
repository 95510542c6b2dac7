package cart

import (
	"context"
	"time"

	"vitrine/internal/deliver"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

const (
	remindWorkers  = 2
	remindLease    = time.Minute
	remindInterval = 15 * time.Second
)

// Reminders returns the background loop that reminds buyers of carts that they left. A reminder and
// its letter are one transaction, so a process that dies loses and repeats none.
func Reminders(s *store.Store, now func() time.Time) *deliver.Loop[sales.LeftCart] {
	return &deliver.Loop[sales.LeftCart]{
		Name: "carts", Workers: remindWorkers, PerWorker: 16, Batch: 16 * remindWorkers, Lease: remindLease, Interval: remindInterval,
		Claim: func(ctx context.Context, most int) ([]sales.LeftCart, error) {
			return sales.ClaimLeftCarts(ctx, s, now(), remindLease, most)
		},
		Deliver: func(ctx context.Context, _ int, left sales.LeftCart) error {
			return s.Write(ctx, left.Company, func(tx *store.Tx) error { return sales.Remind(ctx, tx, left.Person, now()) })
		},
	}
}
