package job

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// Refusals of jobs.
var (
	ErrNotFound = shop.Refuse(shop.NotFound, "JOB_NOT_FOUND").When("there is no such job, or only the owners of its shop see it")
	ErrLimit    = shop.Refuse(shop.ResourceExhausted, "JOB_LIMIT_REACHED").When("too many jobs wait or run; wait until one is done, or stop one")
)

// MaxAtOnce is how many jobs of a kind may wait or run at once: of a shop, or of a person for jobs
// without a shop.
const MaxAtOnce = 2

// Kept is how long a job is kept after it began, and FileKept how long its file is after it ended.
const (
	Kept     = 7 * 24 * time.Hour
	FileKept = 24 * time.Hour
)

// Kind names what a job does.
type Kind string

// State is how far a job is.
type State string

// The states of a job.
const (
	Queued  State = "queued"
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Values lists the states as texts.
func (State) Values() []string { return shop.Texts([]State{Queued, Running, Done, Failed}) }

// Job is a row of the queue.
type Job struct {
	ID         shop.JobID
	Company    shop.CompanyID // 0: its shop does not exist yet
	Person     shop.UserID    // who began it
	Kind       Kind
	State      State
	Done       int64 // steps
	Total      int64 // steps; 0: not known yet
	Input      json.RawMessage
	Result     json.RawMessage // nil until it is done
	Error      string          // why it failed
	SHA256     string          // of its file; empty: it has none
	Size       int64           // of its file
	Attempts   int
	CreatedAt  time.Time
	StartedAt  *time.Time
	FinishedAt *time.Time
}

const columns = `id, coalesce(company_id, 0), person_id, kind, state, done, total, input, result, error, sha256, size, attempts,
	created_at, started_at, finished_at`

// New describes a job to begin.
type New struct {
	Person shop.UserID
	Kind   Kind
	Input  any
	SHA256 string    // of the file that it reads; empty: none
	Size   int64     // of that file
	Due    time.Time // when a worker may take it; zero: at once
}

// Begin adds a job of the transaction's shop, or of a person for a transaction without one. It returns ErrLimit if MaxAtOnce jobs of the kind wait or run.
func Begin(ctx context.Context, tx *store.Tx, j New, now time.Time) (Job, error) {
	input, err := json.Marshal(j.Input)
	if err != nil {
		return Job{}, err
	}
	if j.SHA256 != "" {
		if err := media.AwaitObjects(ctx, tx, []string{j.SHA256}); err != nil {
			return Job{}, err
		}
	}
	// The lock makes concurrent calls count each other's jobs.
	lock, of := `SELECT FROM company WHERE id = $1 FOR NO KEY UPDATE`, any(tx.Company)
	if tx.Company == 0 {
		lock, of = `SELECT FROM person WHERE id = $1 FOR NO KEY UPDATE`, j.Person
	}
	if tag, err := tx.DB.Exec(ctx, lock, of); err != nil {
		return Job{}, err
	} else if tag.RowsAffected() == 0 {
		return Job{}, store.ErrShopNotFound
	}
	var waiting int
	if err := tx.DB.QueryRow(ctx, `
		SELECT count(*) FROM job WHERE `+owned+` AND kind = $3 AND state IN ('queued', 'running')`, tx.Company, j.Person, j.Kind).Scan(&waiting); err != nil {
		return Job{}, err
	}
	if waiting >= MaxAtOnce {
		return Job{}, ErrLimit.With(fmt.Sprintf("%d wait or run", waiting))
	}
	due := j.Due
	if due.IsZero() {
		due = now
	}
	rows, err := tx.DB.Query(ctx, `
		INSERT INTO job (company_id, person_id, kind, input, due_at, created_at, sha256, size) VALUES (nullif($1, 0), $2, $3, $4, $5, $6, $7, $8) RETURNING `+columns,
		tx.Company, j.Person, j.Kind, input, due, now, j.SHA256, j.Size)
	if err != nil {
		return Job{}, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Job])
}

// Ready lets workers take a job that waits until later.
func Ready(ctx context.Context, s *store.Store, id shop.JobID, now time.Time) error {
	_, err := s.Pool.Exec(ctx, `UPDATE job SET due_at = $2 WHERE id = $1 AND state = 'queued' AND due_at > $2`, id, now)
	return err
}

// owned is the condition that a job belongs to shop $1 or, without a shop, to person $2.
const owned = `($1 <> 0 AND company_id = $1 OR $1 = 0 AND company_id IS NULL AND person_id = $2)`

// Get returns a job of the shop, or one without a shop that the person began.
func Get(ctx context.Context, r store.Reader, person shop.UserID, id shop.JobID) (Job, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+columns+` FROM job WHERE id = $3 AND (company_id = $1 OR company_id IS NULL AND person_id = $2)`, r.Company, person, id)
	if err != nil {
		return Job{}, err
	}
	return one(rows)
}

func one(rows pgx.Rows) (Job, error) {
	j, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Job])
	if store.NoRow(err) {
		err = ErrNotFound
	}
	return j, err
}

// Stop ends a job that waits or runs, for a reason; another one stays as it is. A worker that has
// it notices when it extends its lease, and can store no result from now on.
func Stop(ctx context.Context, tx *store.Tx, person shop.UserID, id shop.JobID, why string, now time.Time) (Job, error) {
	_, err := tx.DB.Exec(ctx, `
		UPDATE job SET state = 'failed', error = $4, claim = NULL, finished_at = $5
		WHERE id = $3 AND (company_id = $1 OR company_id IS NULL AND person_id = $2) AND state IN ('queued', 'running')`,
		tx.Company, person, id, why, now)
	if err != nil {
		return Job{}, err
	}
	return Get(ctx, tx.Reader, person, id)
}

// Claimed is a job with the lease of a worker.
type Claimed struct {
	Job
	Claim uuid.UUID
}

// Claim leases up to most jobs that are due: new ones, and those whose worker let its lease end.
// Each shop has one job at a time, a person without a shop too, so that many jobs of one do not
// delay those of others. Those of deleted shops wait until they are restored.
func Claim(ctx context.Context, s *store.Store, kinds []Kind, now, until time.Time, most int) ([]Claimed, error) {
	rows, err := s.Pool.Query(ctx, `
		UPDATE job SET state = 'running', attempts = attempts + 1, claim = gen_random_uuid(), due_at = $3, done = 0, total = 0,
			started_at = coalesce(started_at, $2)
		WHERE id = ANY(ARRAY(
			SELECT id FROM job j WHERE due_at <= $2 AND state IN ('queued', 'running') AND kind = ANY($1)
				AND NOT EXISTS (SELECT FROM company c WHERE c.id = company_id AND c.deleted_at IS NOT NULL) AND (company_id IS NULL OR `+store.NotMoving("company_id")+`)
				AND NOT EXISTS (
					SELECT FROM job o WHERE o.state IN ('queued', 'running') AND o.id <> j.id
						AND CASE WHEN j.company_id IS NULL THEN o.company_id IS NULL AND o.person_id = j.person_id ELSE o.company_id = j.company_id END
						AND (o.state = 'running' AND o.due_at > $2 OR o.due_at <= $2 AND (o.due_at, o.id) < (j.due_at, j.id) AND o.kind = ANY($1)))
			ORDER BY due_at, id LIMIT $4 FOR UPDATE SKIP LOCKED))
		RETURNING `+columns+`, claim`, kinds, now, until, most)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Claimed])
}

// held is the condition that the worker with claim $2 still has job $1.
const held = `id = $1 AND claim = $2 AND state = 'running'`

// Extend stores the progress of a job and extends the lease. held is false if the worker has lost
// the job.
func Extend(ctx context.Context, s *store.Store, c Claimed, done, total int64, until time.Time) (still bool, err error) {
	tag, err := s.Pool.Exec(ctx, `UPDATE job SET done = $3, total = $4, due_at = $5 WHERE `+held, c.ID, c.Claim, done, total, until)
	return tag.RowsAffected() > 0, err
}

// ErrLost reports that a worker has lost a job: its lease ended, or the job was stopped or deleted.
var ErrLost = fmt.Errorf("the job was stopped, or another worker has it")

// Attach records the file that a job is about to write, before its object is visible.
func Attach(ctx context.Context, s *store.Store, c Claimed, sha string, size int64) error {
	return s.SeparateTx(ctx, c.Company, func(tx *store.Tx) error {
		if err := media.AwaitObjects(ctx, tx, []string{sha}); err != nil {
			return err
		}
		tag, err := tx.DB.Exec(ctx, `UPDATE job SET sha256 = $3, size = $4 WHERE `+held, c.ID, c.Claim, sha, size)
		if err == nil && tag.RowsAffected() == 0 {
			err = ErrLost
		}
		return err
	})
}

// Hold checks that the worker still has a job, and keeps others from stopping it until the
// transaction ends.
func Hold(ctx context.Context, tx *store.Tx, c Claimed) error {
	tag, err := tx.DB.Exec(ctx, `SELECT FROM job WHERE `+held+` FOR SHARE`, c.ID, c.Claim)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrLost
	}
	return err
}

// Finish ends a job of so many steps with its result, in the transaction with what the job did.
func Finish(ctx context.Context, tx *store.Tx, c Claimed, result any, steps int64, now time.Time) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	tag, err := tx.DB.Exec(ctx, `
		UPDATE job SET state = 'done', result = $3, claim = NULL, finished_at = $4, done = $5, total = $5
		WHERE `+held, c.ID, c.Claim, text, now, steps)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrLost
	}
	return err
}

// Fail ends a job that the worker still has.
func Fail(ctx context.Context, s *store.Store, c Claimed, why string, now time.Time) error {
	_, err := s.Pool.Exec(ctx, `UPDATE job SET state = 'failed', error = $3, claim = NULL, finished_at = $4 WHERE `+held, c.ID, c.Claim, why, now)
	return err
}

// Return gives a job back to the queue until due. uncounted does not count the attempt: the process
// of the worker stops.
func Return(ctx context.Context, s *store.Store, c Claimed, due time.Time, uncounted bool) error {
	_, err := s.Pool.Exec(ctx, `
		UPDATE job SET state = 'queued', claim = NULL, due_at = $3, attempts = attempts - CASE WHEN $4 THEN 1 ELSE 0 END
		WHERE `+held, c.ID, c.Claim, due, uncounted)
	return err
}

// Detach forgets files that are no longer needed and returns their hashes: of jobs that failed, and
// of those that ended FileKept ago.
func Detach(ctx context.Context, s *store.Store, now time.Time) ([]string, error) {
	rows, err := s.Pool.Query(ctx, `
		UPDATE job j SET sha256 = '' FROM (
			SELECT id, sha256 FROM job
			WHERE sha256 <> '' AND (state = 'failed' OR state = 'done' AND finished_at <= $1)
			ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED) old
		WHERE j.id = old.id RETURNING old.sha256`, now.Add(-FileKept), store.SweepBatch)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// DetachFailed forgets the file of a job that failed and returns its hash, empty if it has none.
func DetachFailed(ctx context.Context, s *store.Store, id shop.JobID) (sha string, err error) {
	return detach(ctx, s.Pool, `id = $1 AND state = 'failed'`, id)
}

// DetachRead forgets the file that a job has read, in the transaction that ends the job, and returns
// its hash.
func DetachRead(ctx context.Context, tx *store.Tx, c Claimed) (sha string, err error) {
	return detach(ctx, tx.DB, held, c.ID, c.Claim)
}

func detach(ctx context.Context, db store.Querier, which string, args ...any) (sha string, err error) {
	err = db.QueryRow(ctx, `
		UPDATE job j SET sha256 = '' FROM (SELECT id, sha256 FROM job WHERE `+which+` FOR UPDATE) old WHERE j.id = old.id RETURNING old.sha256`, args...).Scan(&sha)
	if store.NoRow(err) {
		err = nil
	}
	return sha, err
}

// DetachOlder forgets the files of a shop's jobs of a kind, except for the newest ones.
func DetachOlder(ctx context.Context, tx *store.Tx, kind Kind, kept int) ([]string, error) {
	rows, err := tx.DB.Query(ctx, `
		UPDATE job j SET sha256 = '' FROM (
			SELECT id, sha256 FROM job WHERE company_id = $1 AND kind = $2 AND sha256 <> '' AND state = 'done' ORDER BY id DESC OFFSET $3) old
		WHERE j.id = old.id RETURNING old.sha256`, tx.Company, kind, kept)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Sweep deletes jobs that have ended and began Kept ago.
func Sweep(ctx context.Context, s *store.Store, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM job WHERE id = ANY(ARRAY(
		SELECT id FROM job WHERE created_at <= $1 AND state IN ('done', 'failed') LIMIT $2))`, now.Add(-Kept))
}
