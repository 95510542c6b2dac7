package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/job"
	"vitrine/internal/backup"
	"vitrine/internal/blob"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	jobdb "vitrine/internal/store/job"
	"vitrine/internal/store/people"
)

const (
	exportKind  jobdb.Kind = "shop_export"
	maxExport              = 5_000_000_000 // bytes: what a bucket takes as one object
	keptExports            = 2             // files of one shop
	linkValid              = time.Hour
)

var errNoExport = shop.Refuse(shop.NotFound, "EXPORT_NOT_FOUND").When("the address is wrong or has expired, or the file was deleted a day after the export")

// exported is the result of an export as it is stored.
type exported struct {
	Slug  string `json:"slug"`
	Rows  int    `json:"rows"`
	Files int    `json:"files"`
}

// exportView is the result of an export as its caller sees it.
type exportView struct {
	URL       string     `json:"url" doc:"the address of the file; empty once the file is deleted"`
	URLUntil  *time.Time `json:"url_expires_at" doc:"an hour from now: each GET of the job answers a fresh address"`
	FileUntil time.Time  `json:"expires_at" doc:"when the file is deleted; it is deleted earlier when two newer exports are done"`
	Size      shop.Int64 `json:"size" doc:"bytes of the file"`
	Rows      int        `json:"rows"`
	Files     int        `json:"files" doc:"different contents of files"`
}

func (ts *Transfers) beginExport(ctx context.Context, c *api.Call, _ api.None) (out api.Result[job.View], err error) {
	if c.Role != shop.Owner {
		return out, errOwner
	}
	var j jobdb.Job
	err = ts.Store.Write(ctx, c.Company, func(tx *store.Tx) (err error) {
		j, err = jobdb.Begin(ctx, tx, jobdb.New{Person: c.Person, Kind: exportKind, Input: struct{}{}}, ts.Now())
		return err
	})
	if err != nil {
		return out, err
	}
	out.Result, err = ts.jobs.Show(ctx, j, c.Person)
	return out, err
}

// export writes the shop straight into the blob store.
func (ts *Transfers) export(ctx context.Context, r *job.Running) (any, func(*store.Tx) error, error) {
	company, err := companydb.Info(ctx, ts.Store.Shop(r.Company))
	if err != nil {
		return nil, nil, err
	}
	out, in := io.Pipe()
	var report backup.Report
	written := make(chan struct{})
	go func() {
		defer close(written)
		var err error
		report, err = backup.Export(ctx, ts.Store, ts.Blobs, company, in, r.Progress)
		in.CloseWithError(err) // nil is the end of the file
	}()
	_, err = ts.Blobs.PutWithNote(ctx, out, maxExport, func(ref blob.Ref) error {
		return jobdb.Attach(ctx, ts.Store, r.Claimed, ref.SHA256, ref.Size)
	})
	out.CloseWithError(errors.Join(err, io.ErrClosedPipe)) // ends the writer if the store has failed
	<-written
	if errors.Is(err, blob.ErrTooLarge) {
		err = api.ErrExportLarge.With(fmt.Sprintf("the file would have more than %d bytes; the operator can export the shop with vitrine shop export", int64(maxExport)))
	}
	var unneeded []string
	effects := func(tx *store.Tx) (err error) {
		unneeded, err = jobdb.DetachOlder(ctx, tx, exportKind, keptExports-1)
		tx.AfterCommit(func(ctx context.Context) {
			_ = ts.Intake.Discard(ctx, unneeded...) // the upkeep removes them later
		})
		return err
	}
	return exported{company.Slug, report.Rows, report.Blobs}, effects, err
}

func (ts *Transfers) showExport(_ context.Context, j jobdb.Job, to shop.UserID) (any, error) {
	var e exported
	if err := json.Unmarshal(j.Result, &e); err != nil {
		return nil, err
	}
	v := exportView{FileUntil: j.FinishedAt.UTC().Add(jobdb.FileKept), Size: shop.Int64(j.Size), Rows: e.Rows, Files: e.Files}
	until := ts.Now().UTC().Truncate(time.Second).Add(linkValid)
	if v.FileUntil.Before(until) {
		until = v.FileUntil
	}
	if j.SHA256 == "" || !ts.Now().Before(until) {
		return v, nil
	}
	v.URL = ts.URLs.Admin + "/v1/shop/exports/" + ts.sign(link{j.Company, j.ID, to, until})
	v.URLUntil = &until
	return v, nil
}

// link is the permission to read the file of an export, given to an owner. Its signed form needs no
// row: whether the person still owns the shop is checked when it is used.
type link struct {
	company shop.CompanyID
	job     shop.JobID
	person  shop.UserID
	until   time.Time
}

// sign encodes a link as company-job-person-seconds.mac.
func (ts *Transfers) sign(l link) string {
	text := fmt.Sprintf("%d-%d-%d-%d", l.company, l.job, l.person, l.until.Unix())
	return text + "." + ts.Sealer.MAC("export "+text)
}

func (ts *Transfers) read(token string) (l link, ok bool) {
	text, mac, _ := strings.Cut(token, ".")
	if !ts.Sealer.Verify(mac, "export "+text) {
		return link{}, false
	}
	var until int64
	if n, err := fmt.Sscanf(text, "%d-%d-%d-%d", &l.company, &l.job, &l.person, &until); n != 4 || err != nil {
		return link{}, false
	}
	l.until = time.Unix(until, 0)
	return l, ts.Now().Before(l.until)
}

type downloadRequest struct {
	Token string `path:"token" json:"-"`
}

func (ts *Transfers) download(ctx context.Context, c *api.Call, in downloadRequest) (api.Raw, error) {
	l, ok := ts.read(in.Token)
	if !ok || c.Storefront != 0 {
		return api.Raw{}, errNoExport
	}
	if err := c.Count(ctx, l.company); err != nil {
		return api.Raw{}, err
	}
	reader := ts.Store.Shop(l.company)
	role, err := people.RoleOf(ctx, reader, l.person)
	if err == nil && role != shop.Owner {
		err = errNoExport
	}
	if err != nil {
		return api.Raw{}, err
	}
	if _, err := companydb.Info(ctx, reader); err != nil { // deleted meanwhile
		return api.Raw{}, hidden(err, store.ErrShopNotFound)
	}
	j, err := jobdb.Get(ctx, reader, l.person, l.job)
	if err != nil {
		return api.Raw{}, hidden(err, jobdb.ErrNotFound)
	}
	var e exported
	if j.Kind != exportKind || j.State != jobdb.Done || j.SHA256 == "" {
		return api.Raw{}, errNoExport
	}
	if err := json.Unmarshal(j.Result, &e); err != nil {
		return api.Raw{}, err
	}
	// A bucket reads with this context, after the call has ended.
	file, size, err := ts.Blobs.Open(context.WithoutCancel(ctx), j.SHA256)
	if err != nil {
		return api.Raw{}, hidden(err, blob.ErrNotFound)
	}
	c.SetAttachment(e.Slug + "-" + j.FinishedAt.UTC().Format("2006-01-02") + ".zip")
	return api.Raw{ContentType: "application/zip", Stream: file, Length: int(size), ETag: `"` + j.SHA256 + `"`}, nil
}

// hidden answers an error that says what is missing as errNoExport.
func hidden(err, missing error) error {
	if errors.Is(err, missing) {
		return errNoExport
	}
	return err
}
