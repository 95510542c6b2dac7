package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/job"
	"vitrine/admin/transfer/fill"
	"vitrine/internal/backup"
	"vitrine/internal/blob"
	"vitrine/internal/drain"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	jobdb "vitrine/internal/store/job"
)

const (
	importKind jobdb.Kind = "shop_import"
	maxImport             = maxExport

	dropTimeout = time.Minute // for deleting the shop of a failed attempt
	storeLimit  = time.Hour   // until which the file of a job is stored, if nothing says so earlier
)

// limits bound what reading the file of an import costs.
var limits = backup.Limits{Entries: 100_000, Manifest: 32 << 20, Row: 2 << 20, Rows: 1 << 30}

type importRequest struct {
	Slug string `query:"slug" json:"-" len:"63" doc:"the slug of the new shop; may be a field of the form instead, before the file"`
	Name string `query:"name" json:"-" len:"255" doc:"the name of the new shop; may be a field of the form instead, before the file"`
}

// importInput is what a job needs besides its file.
type importInput struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// imported is the result of an import.
type imported struct {
	Company shop.CompanyID `json:"company_id"`
	Slug    string         `json:"slug"`
	URL     string         `json:"storefront_url"`
	fill.Report
}

var errRehearsed = errors.New("the rehearsal succeeded")

// beginImport stores the file and begins the job. What can be refused without the file is refused
// before it is stored.
func (ts *Transfers) beginImport(ctx context.Context, c *api.Call, in importRequest) (out api.Result[job.View], err error) {
	fields, file, err := c.Form("slug", "name")
	if err != nil {
		return out, err
	}
	input := importInput(in)
	api.Set(&input.Slug, fields["slug"])
	api.Set(&input.Name, fields["name"])
	if input.Name, err = ts.Admit(ctx, c, input.Slug, input.Name); err != nil {
		return out, errors.Join(err, drain.Refused(file))
	}
	if _, size := c.Body(); size > maxImport+1<<20 { // allowance for the form
		return out, errImportLarge
	}
	begin := func(ref blob.Ref, end error) (j jobdb.Job, err error) {
		err = ts.Store.Write(ctx, 0, func(tx *store.Tx) error {
			free, err := companydb.SlugFree(ctx, tx.Reader, input.Slug)
			if err == nil && !free {
				err = shop.ErrSlugTaken.At("slug").With("another shop has the slug " + input.Slug)
			}
			if err != nil {
				return err
			}
			j, err = jobdb.Begin(ctx, tx, jobdb.New{
				Person: c.Person, Kind: importKind, Input: input, SHA256: ref.SHA256, Size: ref.Size, Due: ts.Now().Add(storeLimit),
			}, ts.Now())
			if err == nil {
				err = companydb.CountOpening(ctx, tx, c.Person, c.Network().String(), ts.Now())
			}
			if err == nil {
				err = end
			}
			return err
		})
		return j, err
	}
	if _, err := begin(blob.Ref{}, errRehearsed); !errors.Is(err, errRehearsed) {
		return out, errors.Join(err, drain.Refused(file))
	}
	var j jobdb.Job
	sent := &upload{from: file}
	_, err = ts.Blobs.PutWithNote(ctx, sent, maxImport, func(ref blob.Ref) (err error) {
		j, err = begin(ref, nil) // the file becomes visible afterwards
		return err
	})
	if err == nil {
		err = jobdb.Ready(ctx, ts.Store, j.ID, ts.Now())
	}
	switch {
	case errors.Is(err, blob.ErrTooLarge):
		err = errImportLarge
	case err != nil && sent.failed:
		err = shop.ErrInvalidRequest.With("the body ended early")
	}
	if err != nil {
		if failed := ts.giveUp(ctx, j); failed != nil {
			err = failed
		}
		return out, err
	}
	out.Result, err = ts.jobs.Show(ctx, j, c.Person)
	return out, err
}

// giveUp ends a job whose file could not be stored.
func (ts *Transfers) giveUp(ctx context.Context, j jobdb.Job) error {
	if j.ID == 0 {
		return nil
	}
	return ts.Store.Write(context.WithoutCancel(ctx), 0, func(tx *store.Tx) error {
		_, err := jobdb.Stop(ctx, tx, j.Person, j.ID, shop.ErrUnavailable.With("the file could not be stored").Error(), ts.Now())
		return err
	})
}

// upload remembers whether reading the caller's bytes failed.
type upload struct {
	from   io.Reader
	failed bool
}

func (u *upload) Read(p []byte) (n int, err error) {
	n, err = u.from.Read(p)
	u.failed = u.failed || err != nil && err != io.EOF
	return n, err
}

var errImportLarge = shop.ErrBodyTooLarge.With(fmt.Sprintf("the file has more than %d bytes", int64(maxImport)))

// importShop makes the shop of a file. Nobody finds the shop before the job is done, and an attempt
// that fails deletes it.
func (ts *Transfers) importShop(ctx context.Context, r *job.Running) (result any, effects func(*store.Tx) error, err error) {
	var in importInput
	if err := json.Unmarshal(r.Input, &in); err != nil {
		return nil, nil, err
	}
	if err := companydb.DropArriving(ctx, ts.Store, r.ID); err != nil { // of an attempt whose process ended
		return nil, nil, err
	}
	file, size, err := ts.spool(ctx, r.SHA256)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	a, err := backup.Open(ctx, file, size, limits)
	if err != nil {
		return nil, nil, refused(err)
	}
	row, err := a.Shop()
	if err != nil {
		return nil, nil, refused(err)
	}
	currency, _ := row["currency"].(string)
	digits, _ := backup.Int(row["price_digits"])
	if err := ts.CheckCurrency(currency, int(digits)); err != nil {
		return nil, nil, err
	}
	id, err := companydb.CreateArriving(ctx, ts.Store, companydb.Arriving{
		Job: r.ID, Slug: in.Slug, Name: in.Name, Currency: currency, PriceDigits: int(digits),
	})
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err == nil {
			return
		}
		ending, stop := context.WithTimeout(context.WithoutCancel(ctx), dropTimeout)
		defer stop()
		_ = companydb.DropArriving(ending, ts.Store, r.ID) // the upkeep deletes it later
	}()
	owner := api.Identity{Person: r.Person, Company: id, Role: shop.Owner, Contour: shop.Prod}
	call := func(ctx context.Context, method, path string, params map[string]string, body any) (any, error) {
		return ts.Do(ctx, owner, method, path, params, body)
	}
	report, err := fill.Shop(ctx, a, call, r.Progress)
	if err != nil {
		return nil, nil, refused(err)
	}
	company, err := companydb.Info(ctx, ts.Store.Shop(id))
	if err != nil {
		return nil, nil, err
	}
	effects = func(tx *store.Tx) error {
		sha, err := jobdb.DetachRead(ctx, tx, r.Claimed)
		if err != nil {
			return err
		}
		tx.AfterCommit(func(ctx context.Context) {
			_ = ts.Intake.Discard(ctx, sha) // the upkeep removes it later
		})
		return companydb.Arrive(ctx, tx, id, r.ID, r.Person, row["closed"] == true)
	}
	return imported{id, company.Slug, ts.URLs.Storefront(company), report}, effects, nil
}

// spool copies the file of a job to an unlinked local file: a zip is read at many places, for which a
// bucket would be asked each time.
func (ts *Transfers) spool(ctx context.Context, sha string) (file *os.File, size int64, err error) {
	from, _, err := ts.Blobs.Open(ctx, sha)
	if err != nil {
		return nil, 0, err
	}
	defer from.Close() //nolint:errcheck // only read
	if file, err = os.CreateTemp("", "vitrine-import-*.zip"); err != nil {
		return nil, 0, err
	}
	if err = os.Remove(file.Name()); err == nil {
		size, err = io.Copy(file, from)
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, size, nil
}

// refused returns the refusal of a file that cannot be read. Any other error stays.
func refused(err error) error {
	switch {
	case errors.Is(err, backup.ErrTooLarge):
		return fill.ErrLarge.With(err.Error())
	case errors.Is(err, backup.ErrForeign), errors.Is(err, backup.ErrDamaged), errors.Is(err, backup.ErrNewer):
		return fill.ErrFile.With(err.Error())
	}
	return err
}
