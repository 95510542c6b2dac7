// Package intake is how the bytes of a shop come into the blob store, and how
// they leave it, so that none lie there uncounted:
//
//	Reserve         counts bytes before they are written, or refuses them
//	Put, PutExpect  writes them; their hash is on the account before an object
//	                of it can be seen
//	Keep            ends the reservation in the transaction that refers to them
//	Close           gives back what was not kept; what was written of it goes
//
// What a transaction lets go of, such as the body of an upload that another one
// took the place of, is removed after its commit. Whatever a process leaves that
// ends in between is over by its time, and Clear of the upkeep removes it.
package intake

import (
	"context"
	"io"
	"log/slog"
	"time"

	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// Lifetime is how long a reservation counts at most: longer than any upload
// takes, and than a killed one may leave a temporary file (blob.Store.Tidy).
const Lifetime = time.Hour

// freeing is how long an answer waits for a removal: a bucket may be away.
const freeing = 10 * time.Second

// Intake takes bytes for all shops.
type Intake struct {
	store *store.Store
	blobs blob.Store
	log   *slog.Logger
	now   func() time.Time
}

// New takes the clock by which reservations end.
func New(s *store.Store, blobs blob.Store, log *slog.Logger, now func() time.Time) *Intake {
	return &Intake{s, blobs, log, now}
}

// Reservation is bytes on their way. A nil one is none.
type Reservation struct {
	intake  *Intake
	company shop.CompanyID
	rows    []media.Reserved
	done    bool
}

// Reserve makes room for contents of these sizes, or for one of unknown content,
// whose SHA256 is empty; all of them or, as store.ErrStorageLimit, none.
func (i *Intake) Reserve(ctx context.Context, company shop.CompanyID, contents ...blob.Ref) (*Reservation, error) {
	r := i.reservation(company, contents)
	return r, media.Reserve(ctx, i.store, company, r.rows, i.now().Add(Lifetime))
}

// ReserveUpTo makes room for a body of unknown length: as much as there is, at
// most so many bytes.
func (i *Intake) ReserveUpTo(ctx context.Context, company shop.CompanyID, most int64) (*Reservation, error) {
	return i.upTo(ctx, company, media.Reserved{Size: most})
}

// ReserveSpool makes room for a body in a temporary file, which counts against
// what may be pending and not against the plan.
func (i *Intake) ReserveSpool(ctx context.Context, company shop.CompanyID, most int64) (*Reservation, error) {
	return i.upTo(ctx, company, media.Reserved{Size: most, Spooled: true})
}

func (i *Intake) upTo(ctx context.Context, company shop.CompanyID, want media.Reserved) (*Reservation, error) {
	r := &Reservation{intake: i, company: company, rows: []media.Reserved{want}}
	return r, media.ReserveUpTo(ctx, i.store, company, &r.rows[0], i.now().Add(Lifetime))
}

// ReserveMade is Reserve for what the platform makes of bytes that were counted.
func (i *Intake) ReserveMade(ctx context.Context, company shop.CompanyID, contents ...blob.Ref) (*Reservation, error) {
	r := i.reservation(company, contents)
	return r, media.ReserveMade(ctx, i.store, company, r.rows, i.now().Add(Lifetime))
}

func (i *Intake) reservation(company shop.CompanyID, contents []blob.Ref) *Reservation {
	rows := make([]media.Reserved, len(contents))
	for n, c := range contents {
		rows[n] = media.Reserved{SHA256: c.SHA256, Size: c.Size}
	}
	return &Reservation{intake: i, company: company, rows: rows}
}

// Size is how many bytes there is room for.
func (r *Reservation) Size() (bytes int64) {
	for _, row := range r.rows {
		bytes += row.Size
	}
	return bytes
}

// Put stores what from yields, at most as many bytes as are reserved; more are
// blob.ErrTooLarge.
func (r *Reservation) Put(ctx context.Context, from io.Reader) (blob.Ref, error) {
	return r.intake.blobs.PutNoted(ctx, from, r.Size(), func(ref blob.Ref) error {
		r.rows[0].SHA256, r.rows[0].Size = ref.SHA256, ref.Size
		return media.NameReserved(ctx, r.intake.store, r.company, r.rows[0])
	})
}

// PutExpect stores one of the reserved contents.
func (r *Reservation) PutExpect(ctx context.Context, from io.Reader, sha string, size int64) error {
	return r.intake.blobs.PutExpect(ctx, from, sha, size)
}

// Keep ends the reservation with the transaction, which refers to the bytes. Call
// it last: what fails after it counts until Lifetime is over.
func (r *Reservation) Keep(ctx context.Context, tx *store.Tx) error {
	if r == nil || r.done {
		return nil
	}
	err := media.EndReservations(ctx, tx, r.ids())
	r.done = err == nil
	return err
}

// Close gives back what was not kept. A failure of it costs the shop that room
// until Lifetime is over, so it fails nothing.
func (r *Reservation) Close(ctx context.Context) {
	if r == nil || r.done || len(r.rows) == 0 || r.rows[0].ID == 0 {
		return
	}
	r.done = true
	ctx = context.WithoutCancel(ctx)
	if err := media.GiveBack(ctx, r.intake.store, r.company, r.ids()); err != nil {
		r.intake.log.Warn("a reservation of bytes was not given back", "company", r.company, "error", err)
		return
	}
	r.intake.Freed(ctx, r.company)
}

func (r *Reservation) ids() []int64 {
	ids := make([]int64, len(r.rows))
	for i, row := range r.rows {
		ids[i] = row.ID
	}
	return ids
}

// Freed removes what a shop let go of just now, one step of it: the rest counts
// until the next round of the upkeep.
func (i *Intake) Freed(ctx context.Context, company shop.CompanyID) {
	ctx, cancel := context.WithTimeout(ctx, freeing)
	defer cancel()
	if _, err := i.clear(ctx, company); err != nil {
		i.log.Warn("bytes that a shop let go of stay until the next upkeep", "company", company, "error", err)
	}
}

// Clear removes everything that is over, of all shops.
func (i *Intake) Clear(ctx context.Context) error {
	for {
		if n, err := i.clear(ctx, 0); err != nil || n == 0 {
			return err
		}
	}
}

func (i *Intake) clear(ctx context.Context, company shop.CompanyID) (int, error) {
	return media.ClearReservations(ctx, i.store, company, i.now(), func(ctx context.Context, hashes []string) error {
		for _, sha := range hashes {
			if _, err := i.blobs.Collect(ctx, sha, always); err != nil {
				return err
			}
		}
		return nil
	})
}

// always is later than any object was put.
var always = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
