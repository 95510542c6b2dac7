// Package intake writes the bytes of a shop to the blob store and removes them from it, so that
// every stored byte is counted:
//
//	Reserve         counts bytes before they are written, or refuses them
//	Put, PutExpect  writes them; the reservation records the hash before the object
//	                becomes visible
//	Keep            ends the reservation in the transaction that refers to the bytes
//	Close           releases a reservation that was not kept and removes its bytes
//
// Bytes that a transaction stops referring to, such as the body of an upload that was replaced,
// are removed after its commit. Reservations of a process that ended abruptly expire, and Clear,
// called by the upkeep, removes them.
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

// Lifetime is when a reservation expires. It is longer than any upload takes, and longer than a
// killed upload may leave a temporary file (blob.Store.RemoveStale).
const Lifetime = time.Hour

// freeing bounds how long a response waits for a removal, since the bucket may be unavailable.
const freeing = 10 * time.Second

// Intake reserves and stores bytes for all shops.
type Intake struct {
	store *store.Store
	blobs blob.Store
	log   *slog.Logger
}

// New returns an Intake.
func New(s *store.Store, blobs blob.Store, log *slog.Logger) *Intake {
	return &Intake{s, blobs, log}
}

// Reservation is a set of reserved bytes. A nil Reservation reserves nothing.
type Reservation struct {
	intake  *Intake
	company shop.CompanyID
	rows    []media.Reservation
	done    bool
}

// Reserve reserves contents of these sizes, or one of unknown content, whose SHA256 is empty. It
// reserves all of them or returns store.ErrStorageLimit.
func (i *Intake) Reserve(ctx context.Context, company shop.CompanyID, contents ...blob.Ref) (*Reservation, error) {
	r := i.reservation(company, contents)
	return r, media.Reserve(ctx, i.store, company, r.rows, Lifetime)
}

// ReserveUpTo reserves bytes for a body of unknown length: as many as are free, at most most.
func (i *Intake) ReserveUpTo(ctx context.Context, company shop.CompanyID, most int64) (*Reservation, error) {
	return i.upTo(ctx, company, media.Reservation{Size: most})
}

// ReserveSpool reserves bytes for a body in a temporary file. They count against the limit of
// pending bytes, not against the plan.
func (i *Intake) ReserveSpool(ctx context.Context, company shop.CompanyID, most int64) (*Reservation, error) {
	return i.upTo(ctx, company, media.Reservation{Size: most, Spooled: true})
}

func (i *Intake) upTo(ctx context.Context, company shop.CompanyID, want media.Reservation) (*Reservation, error) {
	r := &Reservation{intake: i, company: company, rows: []media.Reservation{want}}
	return r, media.ReserveUpTo(ctx, i.store, company, &r.rows[0], Lifetime)
}

// ReserveMade is Reserve for bytes that the platform derives from bytes already counted.
func (i *Intake) ReserveMade(ctx context.Context, company shop.CompanyID, contents ...blob.Ref) (*Reservation, error) {
	r := i.reservation(company, contents)
	return r, media.ReserveDerived(ctx, i.store, company, r.rows, Lifetime)
}

func (i *Intake) reservation(company shop.CompanyID, contents []blob.Ref) *Reservation {
	rows := make([]media.Reservation, len(contents))
	for n, c := range contents {
		rows[n] = media.Reservation{SHA256: c.SHA256, Size: c.Size}
	}
	return &Reservation{intake: i, company: company, rows: rows}
}

// Size returns the number of reserved bytes.
func (r *Reservation) Size() (bytes int64) {
	for _, row := range r.rows {
		bytes += row.Size
	}
	return bytes
}

// Put stores the bytes of from, at most as many as are reserved. It returns blob.ErrTooLarge for
// more.
func (r *Reservation) Put(ctx context.Context, from io.Reader) (blob.Ref, error) {
	return r.intake.blobs.PutWithNote(ctx, from, r.Size(), func(ref blob.Ref) error {
		r.rows[0].SHA256, r.rows[0].Size = ref.SHA256, ref.Size
		return media.IdentifyReservation(ctx, r.intake.store, r.company, r.rows[0])
	})
}

// PutExpect stores one of the reserved contents.
func (r *Reservation) PutExpect(ctx context.Context, from io.Reader, sha string, size int64) error {
	return r.intake.blobs.PutExpect(ctx, from, sha, size)
}

// Keep ends the reservation in the transaction that refers to the bytes. Call it last: if the
// transaction fails afterwards, the bytes count until Lifetime has passed.
func (r *Reservation) Keep(ctx context.Context, tx *store.Tx) error {
	if r == nil || r.done {
		return nil
	}
	err := media.EndReservations(ctx, tx, r.ids())
	r.done = err == nil
	return err
}

// Close releases a reservation that was not kept. If that fails, the bytes count for the shop
// until Lifetime has passed, so the failure is only logged.
func (r *Reservation) Close(ctx context.Context) {
	if r == nil || r.done || len(r.rows) == 0 || r.rows[0].ID == 0 {
		return
	}
	r.done = true
	ctx = context.WithoutCancel(ctx)
	if err := media.ReleaseReservations(ctx, r.intake.store, r.company, r.ids()); err != nil {
		r.intake.log.Warn("could not release a reservation of bytes", "company", r.company, "error", err)
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

// Freed removes one batch of the bytes that a shop just stopped using. The rest counts until the
// next round of the upkeep.
func (i *Intake) Freed(ctx context.Context, company shop.CompanyID) {
	ctx, cancel := context.WithTimeout(ctx, freeing)
	defer cancel()
	if _, err := i.clear(ctx, company); err != nil {
		i.log.Warn("could not remove unused bytes of a shop; the next upkeep retries", "company", company, "error", err)
	}
}

// Clear removes all expired reservations and unused bytes of all shops.
func (i *Intake) Clear(ctx context.Context) error {
	for {
		if n, err := i.clear(ctx, 0); err != nil || n == 0 {
			return err
		}
	}
}

func (i *Intake) clear(ctx context.Context, company shop.CompanyID) (int, error) {
	return media.ClearReservations(ctx, i.store, company, i.remove)
}

// Discard removes objects that no account counts, such as the files of jobs, unless something else
// refers to them.
func (i *Intake) Discard(ctx context.Context, hashes ...string) error {
	if len(hashes) == 0 {
		return nil
	}
	return media.RemoveUnreferenced(ctx, i.store, hashes, i.remove)
}

func (i *Intake) remove(ctx context.Context, hashes []string) error {
	for _, sha := range hashes {
		if _, err := i.blobs.Collect(ctx, sha, always); err != nil {
			return err
		}
	}
	return nil
}

// always is later than the time of any stored object.
var always = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
