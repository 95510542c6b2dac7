// Package upkeep deletes expired and unused data. It runs in the worker role; only one worker at
// a time does it.
//
//	Idempotency-Keys            24 hours after they were sent
//	entries of the audit log    after 90 days
//	rate counts                 of past minutes
//	revoked and expired keys    90 days later, as long as the audit log refers to them
//	sessions, invitations,      once expired
//	codes, password links
//	links of assistants         once expired
//	guests                      30 days after their last session began, once none is live;
//	                            their orders stay
//	carts                       30 days after their last change
//	reminders of carts          are made anonymous once their cart is deleted
//	unpaid orders               are cancelled after the deadline that their shop has set
//	hashes of visitors, and     an hour after their day has ended everywhere on earth; the
//	their salts                 lists of the day are truncated then. The sums stay
//	letters about accounts      an hour after their content has expired
//	letters of shops            after 180 days
//	notices of providers        after 90 days
//	leads that are spam         after 90 days
//	files of forms              one hour after they were sent, if no lead uses them
//	events, their deliveries    after 90 days, and deleted subscriptions
//	unconfirmed uploads         2 days after they were announced
//	pictures of buyers          without a review, a day after they were announced; of a
//	                            rejected review, 30 days later
//	releases that lack files    2 days after they were announced
//	deleted shops               30 days after the deletion, with all their rows
//	shops of imports            once the job has failed
//	networks that opened shops  a day later
//	releases of deleted         30 days after the deletion, when it cannot be undone
//	layouts and site sections   any more
//	jobs                        7 days after they began; their files a day after they ended, or
//	                            once they fail
//	imports from other systems  90 days after they were undone
//	certificates, their keys    398 days after they were last renewed
//	reserved bytes              one hour after they were reserved, with the bytes
//	                            written (admin/intake)
//	objects of the blob store   that no row of any shop refers to, 48 hours after
//	                            they were last put
//
// The URLs of uploads and releases are valid for one day, so after two days nobody is using them.
// Bytes that a shop stops using are removed at once; the upkeep removes them if that failed. An
// object belongs to no shop, so it can be removed when the last shop stops using it. Whoever
// refers to bytes has either just put them, which makes the object recent, or holds a row that
// refers to them already (store.LockBlobs). An old object that no row refers to therefore stays
// unreferenced while it is removed.
//
// The upkeep also invalidates pages whose review votes have changed.
//
// Deleted products, sections and articles are kept after their 30 days, because orders, the slug
// journal and the audit log still refer to them.
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
	"vitrine/internal/span"
	"vitrine/internal/store"
	"vitrine/internal/store/acme"
	"vitrine/internal/store/assist"
	"vitrine/internal/store/company"
	"vitrine/internal/store/form"
	jobdb "vitrine/internal/store/job"
	"vitrine/internal/store/letter"
	moveindb "vitrine/internal/store/movein"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/privacy"
	"vitrine/internal/store/remark"
	"vitrine/internal/store/sales"
	"vitrine/internal/store/sitefile"
	"vitrine/internal/store/sweep"
	"vitrine/internal/store/visit"
	"vitrine/internal/store/vital"
	"vitrine/internal/store/webhook"
)

const (
	// Every is the interval between two rounds.
	Every = 10 * time.Minute

	// BucketTime bounds the work of a round that removes objects, after everything else: a bucket that
	// answers slowly holds neither the next round nor a backup for longer.
	BucketTime = Every / 2

	// EndedKeys is how long a revoked or expired key is kept.
	EndedKeys = 90 * 24 * time.Hour

	// LetterAge is how long the letters of a shop are kept.
	LetterAge = 180 * 24 * time.Hour

	// NoticeAge is how long the notices of payment providers are kept, as received, and charges that
	// have ended.
	NoticeAge = 90 * 24 * time.Hour

	// EventAge is how long events and their deliveries are kept.
	EventAge = 90 * 24 * time.Hour

	// SessionsLeft is how long carts and checkouts of programs are kept after they have expired. Until
	// then a platform is told that one has expired.
	SessionsLeft = 48 * time.Hour
	// PlatformsLeft is how long a platform without an order is listed after its last session.
	PlatformsLeft = 90 * 24 * time.Hour

	// UndoneImport is how long the record of an import that was undone is kept.
	UndoneImport = 90 * 24 * time.Hour
	// CertificateAge is when a certificate is deleted that nobody has renewed. Public authorities
	// issue none that is valid for longer.
	CertificateAge = 398 * 24 * time.Hour

	// LastPlace is the time after UTC midnight at which a day has ended everywhere, plus an hour
	// for counts that are still in transit.
	LastPlace = 13 * time.Hour

	// Silent is how long the counters of a process that stopped counting are remembered. The
	// process gives up counts that it could not hand over long before.
	Silent = 3 * 24 * time.Hour

	// SpamAge is how long leads suspected as spam are kept.
	SpamAge = 90 * 24 * time.Hour

	// Waiting is how long a file of a form is kept without a lead.
	Waiting = time.Hour

	// Unfinished is how long an upload or a release may lack its bytes.
	Unfinished = 2 * 24 * time.Hour

	// Restorable is how long a deletion can be undone (document 1, section 3), and thus how long
	// the files are kept.
	Restorable = store.RestoreWindow

	// Left is how long data left behind by a visitor is kept.
	Left = 30 * 24 * time.Hour

	// LoosePhoto is how long a picture is kept without the review that it was sent for.
	LoosePhoto = 24 * time.Hour

	// Grace is how long an object is kept after it was put: far longer than any upload takes from
	// its first byte to the row that refers to it.
	Grace = 48 * time.Hour
)

// Upkeep runs the rounds of one process.
type Upkeep struct {
	store  *store.Store
	blobs  blob.Store
	intake *intake.Intake
	log    *slog.Logger
	own    func() time.Time // of this machine, for objects
}

// New returns an Upkeep. The database's clock determines the age of rows; objects, whose times are those
// of this machine or of the bucket, must also be old by the own clock.
func New(s *store.Store, blobs blob.Store, log *slog.Logger, own func() time.Time) *Upkeep {
	return &Upkeep{store: s, blobs: blobs, intake: intake.New(s, blobs, log), log: log, own: own}
}

// Run runs a round every ten minutes until the context ends. A failure is logged once until a
// round succeeds; everything else continues without upkeep.
func (u *Upkeep) Run(ctx context.Context) {
	tick := time.NewTicker(Every)
	defer tick.Stop()
	failing := false
	for {
		err := u.Round(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			u.log.Warn("upkeep failed; expired data stays for now", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Round deletes all data that has expired, unless another process is doing it. A failure of one
// kind does not prevent the others. It collects the shards of the blob store that are due in this
// round; all shards are due once a day.
func (u *Upkeep) Round(ctx context.Context) error {
	began := time.Now()
	ran, err := u.store.RunExclusive(ctx, "upkeep", func(ctx context.Context) (err error) {
		ctx, traced := span.Work(ctx, "worker upkeep")
		defer func() { traced.EndWith(err) }()
		now, err := u.store.Clock(ctx)
		if err != nil {
			return err
		}
		put := now // the age of objects counts from the earlier of both clocks
		if own := u.own(); own.Before(put) {
			put = own
		}
		err = errors.Join(
			u.store.SweepKeys(ctx, now),
			u.store.SweepAudit(ctx, now),
			u.store.SweepRates(ctx, now.Unix()/60-1),
			u.store.SweepGone(ctx, now),
			u.store.SweepAttempts(ctx),
			peopledb.SweepSessions(ctx, u.store, now),
			peopledb.SweepGrants(ctx, u.store, now),
			peopledb.SweepLinks(ctx, u.store, now),
			peopledb.SweepRevokedKeys(ctx, u.store, now.Add(-EndedKeys)),
			peopledb.SweepInvitations(ctx, u.store, now),
			letter.SweepPlatform(ctx, u.store, now),
			letter.SweepBuyerLetterCounts(ctx, u.store, now),
			letter.SweepShops(ctx, u.store, now.Add(-LetterAge), now.Add(-Left)),
			sales.SweepNotices(ctx, u.store, now.Add(-NoticeAge)),
			sales.SweepCharges(ctx, u.store, now.Add(-NoticeAge)),
			webhook.SweepEvents(ctx, u.store, now.Add(-EventAge)),
			peopledb.SweepCodes(ctx, u.store, now),
			peopledb.SweepResets(ctx, u.store, now),
			peopledb.SweepChallenges(ctx, u.store, now),
			privacy.SweepGuests(ctx, u.store, now.Add(-Left)),
			sales.SweepCarts(ctx, u.store, now.Add(-Left)),
			sales.SweepReminders(ctx, u.store, now.Add(-Left)),
			assist.Sweep(ctx, u.store, now.Add(-SessionsLeft)),
			assist.SweepPlatforms(ctx, u.store, now.Add(-PlatformsLeft)),
			visit.CloseVisitDays(ctx, u.store, shop.DayOf(now.Add(-LastPlace), time.UTC), now.Add(-Silent)),
			form.SweepLeads(ctx, u.store, now.Add(-SpamAge), now.Add(-Waiting)),
			order.CancelUnpaid(ctx, u.store, now),
			sitefile.Sweep(ctx, u.store, now),
			acme.Sweep(ctx, u.store, now.Add(-CertificateAge)),
			company.SweepOpenings(ctx, u.store, now),
			company.SweepArriving(ctx, u.store),
			u.showVotes(ctx),
			moveindb.Sweep(ctx, u.store, now.Add(-UndoneImport)),
		)
		ctx, cancel := context.WithTimeout(ctx, BucketTime)
		defer cancel()
		err = errors.Join(
			err,
			u.dropJobFiles(ctx, now),
			jobdb.Sweep(ctx, u.store, now),
			u.dropShops(ctx, now),
			u.dropUnfinished(ctx, now.Add(-Unfinished)),
			u.dropOwnerless(ctx, now.Add(-Restorable)),
			u.dropLoosePhotos(ctx, now),
			u.intake.Clear(ctx),
			u.blobs.RemoveStale(ctx, put.Add(-intake.Lifetime)),
		)
		for shard := range due(now) {
			err = errors.Join(err, u.collect(ctx, shard, put.Add(-Grace)))
		}
		return err
	})
	if ran && ctx.Err() == nil {
		err = errors.Join(err, vital.RecordUpkeep(ctx, u.store, time.Since(began), err != nil))
	}
	return err
}

func (u *Upkeep) dropShops(ctx context.Context, now time.Time) error {
	shops, err := company.ExpiredCompanies(ctx, u.store, now)
	for _, id := range shops {
		err = errors.Join(err, company.DeleteExpired(ctx, u.store, id, now))
	}
	return err
}

func (u *Upkeep) dropUnfinished(ctx context.Context, before time.Time) error {
	shops, err := sweep.ShopsWithUnfinishedUploads(ctx, u.store, before)
	for _, id := range shops {
		err = errors.Join(err, u.store.Write(ctx, id, func(tx *store.Tx) error { return sweep.DeleteUnfinishedUploads(ctx, tx, before) }))
	}
	return err
}

func (u *Upkeep) dropOwnerless(ctx context.Context, before time.Time) error {
	shops, err := sweep.ShopsWithOrphanedFolders(ctx, u.store, before)
	for _, id := range shops {
		err = errors.Join(err, u.store.Write(ctx, id, func(tx *store.Tx) error { return sweep.DeleteOrphanedFolders(ctx, tx, before) }))
	}
	return err
}

func (u *Upkeep) dropLoosePhotos(ctx context.Context, now time.Time) error {
	sent, rejected := now.Add(-LoosePhoto), now.Add(-Restorable)
	shops, err := remark.ShopsWithUnusedPhotos(ctx, u.store, sent, rejected)
	for _, id := range shops {
		err = errors.Join(err, u.store.Write(ctx, id, func(tx *store.Tx) error { return remark.DeleteUnusedPhotos(ctx, tx, sent, rejected) }))
	}
	return err
}

func (u *Upkeep) dropJobFiles(ctx context.Context, now time.Time) error {
	for {
		files, err := jobdb.Detach(ctx, u.store, now)
		if err == nil {
			err = u.intake.Discard(ctx, files...)
		}
		if err != nil || len(files) < store.SweepBatch {
			return err
		}
	}
}

func (u *Upkeep) showVotes(ctx context.Context) error {
	shops, err := remark.ShopsWithNewVotes(ctx, u.store)
	for _, id := range shops {
		err = errors.Join(err, u.store.Write(ctx, id, func(tx *store.Tx) error { return remark.RefreshVotes(ctx, tx) }))
	}
	return err
}
