// Package upkeep removes what nobody will come back for. It runs in the worker
// role; however many workers there are, one at a time does it.
//
//	Idempotency-Keys            24 hours after they were sent
//	entries of the audit log    after 90 days
//	rate counts                 of minutes gone by
//	revoked and expired keys    90 days later, as long as the audit log names them
//	sessions, invitations,      when they are over
//	codes, password links
//	guests                      30 days after their last session began, when none is
//	                            left; their orders stay
//	carts                       30 days after their last change
//	orders that nobody paid     are cancelled when the time that their shop gives is over
//	hashes of visitors, and     an hour after their day is over everywhere on earth; the
//	their salts                 lists of the day are cut to their head then. The sums stay
//	letters about accounts      an hour after what they tell is over
//	letters of shops            after 180 days
//	what providers told         after 90 days
//	leads that are spam         after 90 days
//	files of forms              one hour after they were sent, when no lead came
//	events, their deliveries    after 90 days, and deleted subscriptions
//	uploads without their done  2 days after they were announced
//	pictures of buyers          that no review has a day after they were announced, or
//	                            whose review was rejected 30 days ago
//	releases that lack files    2 days after they were announced
//	releases of deleted         30 days after the deletion, when it cannot be taken
//	layouts and site sections   back any more
//	reserved bytes              one hour after they were reserved, with what was
//	                            written of them (admin/intake)
//	objects of the blob store   that no row of any shop refers to, 48 hours after
//	                            they were last put
//
// The addresses of uploads and releases take bytes for one day, so at two
// nobody is at work on them. What a shop lets go of is removed at once, and here
// when that failed. An object belongs to no shop, so it may go when the
// last shop lets go of it. Whoever refers to bytes either has put them a moment
// ago, which makes the object young, or holds a row that refers to them already
// (store.HoldBlobs); so an object that is old and that no row refers to stays
// one while it is removed.
//
// It also lets pages be drawn anew on which votes about reviews have changed.
//
// Products, sections and articles that were deleted stay after their 30 days:
// orders, the slug journal and the audit log still name them.
package upkeep

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"vitrine/admin/intake"
	"vitrine/admin/order"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/form"
	"vitrine/internal/store/letter"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
	"vitrine/internal/store/remark"
	"vitrine/internal/store/sales"
	"vitrine/internal/store/sitefile"
	"vitrine/internal/store/sweep"
	"vitrine/internal/store/visit"
	"vitrine/internal/store/webhook"
)

const (
	// Every is the time between two rounds.
	Every = 10 * time.Minute

	// EndedKeys is how long a key that ended is kept.
	EndedKeys = 90 * 24 * time.Hour

	// LetterAge is how long a shop finds what it has written.
	LetterAge = 180 * 24 * time.Hour

	// NoticeAge is how long it is kept what payment providers told, as they told it.
	NoticeAge = 90 * 24 * time.Hour

	// EventAge is how long events are kept with their deliveries.
	EventAge = 90 * 24 * time.Hour

	// LastPlace is how long after UTC a day ends where it ends last, and an hour for what
	// was counted of it and is still on its way.
	LastPlace = 13 * time.Hour

	// Silent is how long it is remembered what a process has counted that counts no more. It
	// gives up what it could not hand over long before.
	Silent = 3 * 24 * time.Hour

	// SpamAge is how long leads are kept that were taken for spam.
	SpamAge = 90 * 24 * time.Hour

	// Waiting is how long a file of a form waits for its lead.
	Waiting = time.Hour

	// Unfinished is how long an upload or a release may wait for its bytes.
	Unfinished = 2 * 24 * time.Hour

	// Restorable is how long what was deleted can be brought back (document 1,
	// section 3), and so how long it keeps its files.
	Restorable = store.RestoreWindow

	// Left is how long what a visitor left behind is kept.
	Left = 30 * 24 * time.Hour

	// LoosePhoto is how long a picture waits for the review that it was sent for.
	LoosePhoto = 24 * time.Hour

	// Grace is how long an object is left alone after it was put: far longer
	// than any upload takes from its first byte to the row that refers to it.
	Grace = 48 * time.Hour
)

// Upkeep does the rounds of one process.
type Upkeep struct {
	store  *store.Store
	blobs  blob.Store
	intake *intake.Intake
	log    *slog.Logger
	now    func() time.Time
}

// New takes the clock by which things are old.
func New(s *store.Store, blobs blob.Store, log *slog.Logger, now func() time.Time) *Upkeep {
	return &Upkeep{store: s, blobs: blobs, intake: intake.New(s, blobs, log, now), log: log, now: now}
}

// Run does a round every ten minutes until the context ends. A failure is logged
// once until it works again; everything else goes on without upkeep.
func (u *Upkeep) Run(ctx context.Context) {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	failing := false
	for {
		err := u.Round(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			u.log.Warn("upkeep fails; what is over stays for now", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Round removes what is over now, unless another process is at it. One kind that
// fails does not keep the others. Of the blob store it looks at the shards whose
// turn it is: all of them within a day.
func (u *Upkeep) Round(ctx context.Context) error {
	_, err := u.store.Alone(ctx, "upkeep", func(ctx context.Context) error {
		now := u.now()
		err := errors.Join(
			u.store.SweepKeys(ctx, now),
			u.store.SweepAudit(ctx, now),
			u.store.SweepRates(ctx, now.Unix()/60-1),
			peopledb.SweepSessions(ctx, u.store, now),
			peopledb.SweepEndedKeys(ctx, u.store, now.Add(-EndedKeys)),
			peopledb.SweepInvitations(ctx, u.store, now),
			letter.SweepPlatform(ctx, u.store, now),
			letter.SweepPace(ctx, u.store, now),
			letter.SweepShops(ctx, u.store, now.Add(-LetterAge), now.Add(-Left)),
			sales.SweepNotices(ctx, u.store, now.Add(-NoticeAge)),
			webhook.SweepEvents(ctx, u.store, now.Add(-EventAge)),
			peopledb.SweepCodes(ctx, u.store, now),
			peopledb.SweepResets(ctx, u.store, now),
			privacy.SweepGuests(ctx, u.store, now.Add(-Left)),
			sales.SweepCarts(ctx, u.store, now.Add(-Left)),
			visit.ForgetVisitors(ctx, u.store, shop.DayOf(now.Add(-LastPlace), time.UTC), now.Add(-Silent)),
			form.SweepLeads(ctx, u.store, now.Add(-SpamAge), now.Add(-Waiting)),
			order.CancelUnpaid(ctx, u.store, now),
			sitefile.Sweep(ctx, u.store, now),
			u.dropUnfinished(ctx, now.Add(-Unfinished)),
			u.dropOwnerless(ctx, now.Add(-Restorable)),
			u.dropLoosePhotos(ctx, now),
			u.showVotes(ctx),
			u.intake.Clear(ctx),
			u.blobs.Tidy(ctx, now.Add(-intake.Lifetime)),
		)
		for shard := range due(now) {
			err = errors.Join(err, u.collect(ctx, shard, now.Add(-Grace)))
		}
		return err
	})
	return err
}

func (u *Upkeep) dropUnfinished(ctx context.Context, before time.Time) error {
	shops, err := sweep.Unfinished(ctx, u.store, before)
	for _, id := range shops {
		err = errors.Join(err, u.store.Write(ctx, id, func(tx *store.Tx) error { return sweep.DropUnfinished(ctx, tx, before) }))
	}
	return err
}

func (u *Upkeep) dropOwnerless(ctx context.Context, before time.Time) error {
	shops, err := sweep.Ownerless(ctx, u.store, before)
	for _, id := range shops {
		err = errors.Join(err, u.store.Write(ctx, id, func(tx *store.Tx) error { return sweep.DropOwnerless(ctx, tx, before) }))
	}
	return err
}

func (u *Upkeep) dropLoosePhotos(ctx context.Context, now time.Time) error {
	sent, rejected := now.Add(-LoosePhoto), now.Add(-Restorable)
	shops, err := remark.LoosePhotos(ctx, u.store, sent, rejected)
	for _, id := range shops {
		err = errors.Join(err, u.store.Write(ctx, id, func(tx *store.Tx) error { return remark.DropLoosePhotos(ctx, tx, sent, rejected) }))
	}
	return err
}

func (u *Upkeep) showVotes(ctx context.Context) error {
	shops, err := remark.VotesMoved(ctx, u.store)
	for _, id := range shops {
		err = errors.Join(err, u.store.Write(ctx, id, func(tx *store.Tx) error { return remark.ShowVotes(ctx, tx) }))
	}
	return err
}
