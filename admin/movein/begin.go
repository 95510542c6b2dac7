package movein

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/job"
	"vitrine/compile/movein"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	jobdb "vitrine/internal/store/job"
	moveindb "vitrine/internal/store/movein"
)

// storeLimit is until when the file of a job is stored, if nothing says so earlier.
const storeLimit = time.Hour

type beginRequest struct {
	DryRun *bool `query:"dry_run" json:"-" doc:"only answer the plan; may be a field of the form instead, like options: {question: choice}"`
}

// begun is a job, or the plan of a dry run.
type begun struct {
	Result any `json:"result" doc:"a job, or of a dry run the plan, as GET /v1/jobs/{id} has them"`
	status int
}

// Status implements api.Statused: a plan is there at once.
func (b begun) Status() int { return b.status }

// input is what a job needs besides its files.
type input struct {
	Names     []string          `json:"names"`
	Choices   map[string]string `json:"choices"`
	Customers bool              `json:"customers"` // the caller may write customers
}

func (ms *MoveIns) begin(ctx context.Context, c *api.Call, in beginRequest) (out begun, err error) {
	sent, err := receive(c)
	if err != nil {
		return out, err
	}
	defer sent.zip.Close() //nolint:errcheck // unlinked
	dry := in.DryRun != nil && *in.DryRun || sent.dry != nil && *sent.dry
	if dry && sent.bytes <= largeBytes {
		plan, spool, err := ms.read(ctx, c.Company, sent.zip, sent.size, sent.choices)
		if err != nil {
			return out, err
		}
		defer spool.Close() //nolint:errcheck // unlinked
		return begun{viewPlan(plan), 200}, nil
	}
	kind := importKind
	if dry {
		kind = planKind
	}
	j, err := ms.queue(ctx, sender{c.Company, c.Person, !c.ByKey() || c.Has("customers:write")}, sent, kind)
	if err != nil {
		return out, err
	}
	out.Result, err = ms.jobs.Show(ctx, j, c.Person)
	return out, err
}

// sender is the person or key that sends files, and the shop they are for.
type sender struct {
	company   shop.CompanyID
	person    shop.UserID
	customers bool // may write customers
}

// queue stores the files and begins the job.
func (ms *MoveIns) queue(ctx context.Context, by sender, sent *upload, kind jobdb.Kind) (j jobdb.Job, err error) {
	if _, err := sent.zip.Seek(0, io.SeekStart); err != nil {
		return j, err
	}
	what := input{Names: sent.names, Choices: sent.choices, Customers: by.customers}
	_, err = ms.Blobs.PutWithNote(ctx, sent.zip, sent.size, func(ref blob.Ref) error {
		return ms.Store.Write(ctx, by.company, func(tx *store.Tx) (err error) {
			j, err = jobdb.Begin(ctx, tx, jobdb.New{
				Person: by.person, Kind: kind, Input: what, SHA256: ref.SHA256, Size: ref.Size, Due: ms.Now().Add(storeLimit),
			}, ms.Now())
			return err
		})
	})
	if err == nil {
		err = jobdb.Ready(ctx, ms.Store, j.ID, ms.Now())
	}
	if err != nil && j.ID != 0 {
		err = errors.Join(err, ms.Store.Write(context.WithoutCancel(ctx), by.company, func(tx *store.Tx) error {
			_, err := jobdb.Stop(ctx, tx, by.person, j.ID, shop.ErrUnavailable.With("the files could not be stored").Error(), ms.Now())
			return err
		}))
	}
	return j, err
}

// read reads files into a plan for a shop. The spool has what the plan does not hold.
func (ms *MoveIns) read(ctx context.Context, id shop.CompanyID, file io.ReaderAt, size int64, choices map[string]string) (plan *movein.Plan, spool *os.File, err error) {
	company, err := companydb.Info(ctx, ms.Store.Shop(id))
	if err != nil {
		return nil, nil, err
	}
	files, err := filesIn(file, size)
	if err != nil {
		return nil, nil, err
	}
	if spool, err = unlinked(); err != nil {
		return nil, nil, err
	}
	plan, err = movein.Read(files, movein.Shop{
		Currency: company.Currency, Digits: company.PriceDigits, Language: company.Language, Now: ms.Now(),
	}, choices, spool)
	if err != nil {
		return nil, nil, errors.Join(err, spool.Close())
	}
	return plan, spool, nil
}

// open copies the files of a job to a local one, since they are read at many places.
func (ms *MoveIns) open(ctx context.Context, sha string) (file *os.File, size int64, err error) {
	from, _, err := ms.Blobs.Open(ctx, sha)
	if err != nil {
		return nil, 0, err
	}
	defer from.Close() //nolint:errcheck // only read
	if file, err = unlinked(); err != nil {
		return nil, 0, err
	}
	if size, err = io.Copy(file, from); err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, size, nil
}

// planOf reads the files of a job.
func (ms *MoveIns) planOf(ctx context.Context, r *job.Running, in input) (plan *movein.Plan, spool *os.File, err error) {
	file, size, err := ms.open(ctx, r.SHA256)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close() //nolint:errcheck // unlinked
	return ms.read(ctx, r.Company, file, size, in.Choices)
}

// importView is an import in the list of them.
type importView struct {
	ID        shop.JobID        `json:"id"`
	System    string            `json:"system"`
	Files     []string          `json:"files"`
	Counts    []writtenView     `json:"counts" doc:"what was written; empty until the import is done"`
	CreatedAt time.Time         `json:"created_at"`
	UndoJob   *shop.JobID       `json:"undo_job" doc:"the job that undoes it; null: none does"`
	UndoneAt  *time.Time        `json:"undone_at"`
	Pictures  *moveindb.Fetched `json:"pictures,omitempty"`
}

func viewImport(i moveindb.Import) (v importView, err error) {
	v = importView{Counts: []writtenView{}, ID: i.ID, System: i.System, Files: i.Files, CreatedAt: i.CreatedAt.UTC(), UndoJob: i.UndoJob, UndoneAt: i.UndoneAt}
	return v, json.Unmarshal(i.Counts, &v.Counts)
}

func (ms *MoveIns) list(ctx context.Context, c *api.Call, _ api.None) (out api.Result[[]importView], err error) {
	list, err := moveindb.List(ctx, ms.Store.Shop(c.Company), 100)
	out.Result = []importView{}
	for _, i := range list {
		v, err := viewImport(i)
		if err != nil {
			return out, err
		}
		out.Result = append(out.Result, v)
	}
	return out, err
}

type named struct {
	ID shop.JobID `path:"id" json:"-"`
}

func (ms *MoveIns) show(ctx context.Context, c *api.Call, in named) (out api.Result[importView], err error) {
	reader := ms.Store.Shop(c.Company)
	i, err := moveindb.Get(ctx, reader, in.ID)
	if err != nil {
		return out, err
	}
	if out.Result, err = viewImport(i); err != nil {
		return out, err
	}
	pictures, err := moveindb.Pictures(ctx, reader, in.ID)
	out.Result.Pictures = &pictures
	return out, err
}
