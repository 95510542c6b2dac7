package visit

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/visitstats"
)

// Salt returns the salt with which visitors of a date are hashed, the same for all
// callers; the first call creates it. CloseVisitDays deletes it.
func Salt(ctx context.Context, s *store.Store, day shop.Day) (salt []byte, err error) {
	generated := make([]byte, 32)
	if _, err := rand.Read(generated); err != nil {
		return nil, err
	}
	err = s.Pool.QueryRow(ctx, `
		WITH made AS (INSERT INTO visit_salt (day, salt) VALUES ($1, $2) ON CONFLICT (day) DO NOTHING RETURNING salt)
		SELECT salt FROM made UNION ALL SELECT salt FROM visit_salt WHERE day = $1 LIMIT 1`, day.Date(), generated).Scan(&salt)
	if store.NoRow(err) { // a concurrent call created it after the statement began
		err = s.Pool.QueryRow(ctx, `SELECT salt FROM visit_salt WHERE day = $1`, day.Date()).Scan(&salt)
	}
	return salt, err
}

// Add adds the counts of a process, in one transaction with the number of the batch,
// so that a batch that is sent again because its answer was lost counts once. Counts of
// deleted shops are dropped, and so are marks of a date whose salt is deleted.
func Add(ctx context.Context, s *store.Store, batch visitstats.Batch) error {
	return pgx.BeginFunc(ctx, s.Beside(), func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `
			INSERT INTO visit_batch AS b (run, number) VALUES ($1, $2)
			ON CONFLICT (run) DO UPDATE SET number = excluded.number, at = now() WHERE b.number < excluded.number`, batch.Run, batch.Number)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		days := newVisitDays(batch.Days)
		if err := days.lock(ctx, tx); err != nil {
			return err
		}
		days.add()
		if err := days.mark(ctx, tx); err != nil {
			return err
		}
		return days.save(ctx, tx)
	})
}

// visitDays are the days of shops to which a batch adds.
type visitDays struct {
	added map[visitDay]*visitstats.Day
	kept  map[visitDay]*storedDay // only of existing shops
}

type visitDay struct {
	company shop.CompanyID
	day     shop.Day
}

type storedDay struct {
	visits, views int64
	lists         visitstats.Lists
	closed        bool
}

func newVisitDays(list []visitstats.Day) *visitDays {
	d := &visitDays{added: make(map[visitDay]*visitstats.Day, len(list)), kept: make(map[visitDay]*storedDay, len(list))}
	for i := range list {
		d.added[visitDay{list[i].Company, list[i].Date}] = &list[i]
	}
	return d
}

// lock reads and locks the rows of the days, in the same order on all edges, and creates
// missing ones.
func (d *visitDays) lock(ctx context.Context, tx pgx.Tx) error {
	companies, days := make([]shop.CompanyID, 0, len(d.added)), make([]time.Time, 0, len(d.added))
	for key := range d.added {
		companies, days = append(companies, key.company), append(days, key.day.Date())
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO visit_day (company_id, day) SELECT u.company_id, u.day FROM unnest($1::integer[], $2::date[]) AS u(company_id, day)
		JOIN company c ON c.id = u.company_id ORDER BY 1, 2 ON CONFLICT DO NOTHING`, companies, days)
	if err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `
		SELECT v.company_id, v.day, v.closed, v.lists FROM visit_day v JOIN unnest($1::integer[], $2::date[]) AS u(company_id, day)
		ON v.company_id = u.company_id AND v.day = u.day ORDER BY 1, 2 FOR UPDATE OF v`, companies, days)
	if err != nil {
		return err
	}
	var company shop.CompanyID
	var day time.Time
	var closed bool
	var lists string
	_, err = pgx.ForEachRow(rows, []any{&company, &day, &closed, &lists}, func() error {
		kept := &storedDay{closed: closed}
		d.kept[visitDay{company, shop.DayOf(day, time.UTC)}] = kept
		kept.lists.Read(lists)
		return nil
	})
	return err
}

// add adds the counts that do not depend on those of other processes.
func (d *visitDays) add() {
	for key, kept := range d.kept {
		kept.views = d.added[key].Views
		kept.lists.Add(&d.added[key].Lists)
	}
}

// mark writes the marks that no batch contained before, and counts them.
func (d *visitDays) mark(ctx context.Context, tx pgx.Tx) error {
	var companies []shop.CompanyID
	var days []time.Time
	var hashes []int64
	marks := map[visitDay]map[int64]visitstats.Mark{}
	for key := range d.kept {
		byHash := map[int64]visitstats.Mark{}
		for _, m := range d.added[key].Marks {
			byHash[m.Hash] = m
		}
		for hash := range byHash {
			companies, days, hashes = append(companies, key.company), append(days, key.day.Date()), append(hashes, hash)
		}
		marks[key] = byHash
	}
	if len(hashes) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		INSERT INTO visit_mark (company_id, day, hash)
		SELECT u.company_id, u.day, u.hash FROM unnest($1::integer[], $2::date[], $3::bigint[]) AS u(company_id, day, hash)
		WHERE EXISTS (SELECT FROM visit_salt s WHERE s.day = u.day FOR KEY SHARE) ORDER BY 1, 2, 3
		ON CONFLICT DO NOTHING RETURNING company_id, day, hash`, companies, days, hashes)
	if err != nil {
		return err
	}
	var company shop.CompanyID
	var day time.Time
	var hash int64
	_, err = pgx.ForEachRow(rows, []any{&company, &day, &hash}, func() error {
		key := visitDay{company, shop.DayOf(day, time.UTC)}
		m := marks[key][hash]
		if m.Kind == visitstats.Visitor {
			d.kept[key].visits++
		}
		d.kept[key].lists.AddMark(m)
		return nil
	})
	return err
}

// save writes the days back.
func (d *visitDays) save(ctx context.Context, tx pgx.Tx) error {
	b := &pgx.Batch{}
	for key, kept := range d.kept {
		limit := visitstats.MaxDuringDay
		if kept.closed {
			limit = visitstats.MaxAfterwards
		}
		kept.lists.Truncate(limit)
		b.Queue(`UPDATE visit_day SET visits = visits + $3, page_views = page_views + $4, lists = $5 WHERE company_id = $1 AND day = $2`,
			key.company, key.day.Date(), kept.visits, kept.views, kept.lists.String())
	}
	return tx.SendBatch(ctx, b).Close()
}

// CloseVisitDays closes the dates before one: it deletes their salts and hashes, and
// truncates their lists. Processes silent since before a time are forgotten; they must not
// send any more batches.
func CloseVisitDays(ctx context.Context, s *store.Store, day shop.Day, silent time.Time) error {
	// The salts first: batches that come later then add no marks.
	_, err := s.Pool.Exec(ctx, `DELETE FROM visit_salt WHERE day < $1`, day.Date())
	return errors.Join(err,
		s.SweepBatches(ctx, `DELETE FROM visit_mark WHERE ctid = ANY(ARRAY(SELECT ctid FROM visit_mark WHERE day < $1 LIMIT $2))`, day.Date()),
		s.SweepBatches(ctx, `DELETE FROM visit_batch WHERE ctid = ANY(ARRAY(SELECT ctid FROM visit_batch WHERE at <= $1 LIMIT $2)) AND at <= $1`, silent),
		closeDays(ctx, s, day))
}

// closeBatch is how many days one transaction closes.
const closeBatch = 500

func closeDays(ctx context.Context, s *store.Store, before shop.Day) error {
	for closed := closeBatch; closed == closeBatch; {
		err := pgx.BeginFunc(ctx, s.Beside(), func(tx pgx.Tx) error {
			rows, err := tx.Query(ctx, `
				SELECT company_id, day, lists FROM visit_day WHERE day < $1 AND NOT closed
				ORDER BY company_id, day LIMIT $2 FOR UPDATE`, before.Date(), closeBatch)
			if err != nil {
				return err
			}
			var company shop.CompanyID
			var day time.Time
			var raw string
			b := &pgx.Batch{}
			_, err = pgx.ForEachRow(rows, []any{&company, &day, &raw}, func() error {
				var lists visitstats.Lists
				lists.Read(raw)
				lists.Truncate(visitstats.MaxAfterwards)
				b.Queue(`UPDATE visit_day SET closed = true, lists = $3 WHERE company_id = $1 AND day = $2`, company, day, lists.String())
				return nil
			})
			closed = b.Len()
			return errors.Join(err, tx.SendBatch(ctx, b).Close())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Visits are the counts of a day.
type Visits struct {
	Day    shop.Day
	Visits int64
	Views  int64
}

// List returns the counts of the days from to to, both included, with the summed lists of
// all days since a third one.
func List(ctx context.Context, r store.Reader, from, to, since shop.Day) (list []Visits, sum visitstats.Lists, err error) {
	rows, err := r.DB.Query(ctx, `
		SELECT day, visits, page_views, CASE WHEN day >= $4 THEN lists ELSE '' END FROM visit_day
		WHERE company_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day`, r.Company, from.Date(), to.Date(), since.Date())
	if err != nil {
		return nil, sum, err
	}
	var v Visits
	var day time.Time
	var raw string
	_, err = pgx.ForEachRow(rows, []any{&day, &v.Visits, &v.Views, &raw}, func() error {
		v.Day = shop.DayOf(day, time.UTC)
		list = append(list, v)
		sum.Read(raw)
		return nil
	})
	return list, sum, err
}
