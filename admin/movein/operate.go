package movein

import (
	"archive/zip"
	"context"
	"log/slog"
	"os"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	jobdb "vitrine/internal/store/job"
)

// Operator is an import that the operator begins.
type Operator struct {
	Company shop.CompanyID
	Person  shop.UserID // as whom it writes
	Files   []string    // paths
	Choices map[string]string
	DryRun  bool
}

// Operate reads files into a plan, or imports them: here, or in a worker of the installation that
// takes the job first. It returns what the job's result has.
func (ms *MoveIns) Operate(ctx context.Context, o Operator, log *slog.Logger) (any, error) {
	sent, err := local(o.Files)
	if err != nil {
		return nil, err
	}
	defer sent.zip.Close() //nolint:errcheck // unlinked
	if o.DryRun {
		plan, spool, err := ms.read(ctx, o.Company, sent.zip, sent.size, o.Choices)
		if err != nil {
			return nil, err
		}
		defer spool.Close() //nolint:errcheck // unlinked
		return viewPlan(plan), nil
	}
	sent.choices = o.Choices
	j, err := ms.queue(ctx, sender{o.Company, o.Person, true}, sent, importKind)
	if err != nil {
		return nil, err
	}
	working, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ms.jobs.Worker(log).Run(working, log)
	}()
	defer func() { stop(); <-done }()
	return ms.ended(ctx, o, j.ID)
}

func (ms *MoveIns) ended(ctx context.Context, o Operator, id shop.JobID) (any, error) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
		j, err := jobdb.Get(ctx, store.Reader{DB: ms.Store.Pool, Company: o.Company}, o.Person, id)
		if err != nil {
			return nil, err
		}
		switch j.State {
		case jobdb.Done:
			return ms.jobs.Show(ctx, j, o.Person)
		case jobdb.Failed:
			return nil, shop.ErrInvalidRequest.With(j.Error)
		}
	}
}

// local packs files of this machine as receive does those of a call.
func local(paths []string) (u *upload, err error) {
	file, err := unlinked()
	if err != nil {
		return nil, err
	}
	u = &upload{zip: file}
	out := writerOf(file)
	for _, at := range paths {
		if err = u.local(at, out); err != nil {
			break
		}
	}
	if err == nil {
		err = u.close(out)
	}
	if err != nil {
		_ = file.Close() // unlinked
	}
	return u, err
}

func (u *upload) local(at string, out *zip.Writer) error {
	from, err := os.Open(at)
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // only read
	return u.file(at, from, out)
}
