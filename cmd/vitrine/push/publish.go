package push

import (
	"context"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"vitrine/compile/release"
	"vitrine/internal/shop"
)

// parallelUploads is the number of parallel uploads.
const parallelUploads = 3

// noteOfPush distinguishes releases of this tool from others in their list.
const noteOfPush = "vitrine push"

// announced is the response to a new release (document 3, 2.3).
type announced struct {
	Release shop.ReleaseID `json:"release_id"`
	Upload  []missing      `json:"upload"`
	Reused  []string       `json:"reused"`
}

// missing is a file that the shop does not have.
type missing struct {
	Path string `json:"path"`
	URL  string `json:"upload_url"`
}

// published is the response to a publication (document 3, 2.3).
type published struct {
	URL    string         `json:"url"`
	Path   string         `json:"path"`
	Report release.Report `json:"report"`
}

func documentAt(id shop.DocumentID) string { return "/html-documents/" + id.String() }

// publish makes the folder the live release of the document, site or layout at root.
func (p *pusher) publish(ctx context.Context, root string, id shop.DocumentID) (Result, error) {
	var plan announced
	// After a retry there may be two pending releases; the first is never published.
	err := p.client.set(
		ctx, "POST", root+"/releases",
		release.Request{Base: "none", Files: p.folder.files, Delete: []string{}, Note: noteOfPush}, &plan,
	)
	if err != nil {
		return Result{}, err
	}
	sent, err := p.upload(ctx, plan.Upload)
	if err != nil {
		return Result{}, err
	}
	var live published
	if err := p.client.set(ctx, "POST", root+"/releases/"+plan.Release.String()+"/publish", p.publication(), &live); err != nil {
		return Result{}, err
	}
	return Result{
		URL: live.URL, Path: live.Path, DocumentID: id, ReleaseID: plan.Release,
		Uploaded: len(plan.Upload), Reused: len(p.folder.files) - len(plan.Upload), Bytes: sent, Report: live.Report,
	}, nil
}

// publication is the body of a publish call.
func (p *pusher) publication() map[string]any {
	return map[string]any{"seo_overwrite": p.options.SEOOverwrite}
}

// upload sends the missing files, several in parallel, and returns their size in bytes.
func (p *pusher) upload(ctx context.Context, list []missing) (sent int64, err error) {
	files := make([]release.File, len(list))
	for i, m := range list {
		file, ok := release.Find(p.folder.files, m.Path)
		if !ok {
			return 0, fmt.Errorf("the server requested %q, which is not in the folder", m.Path)
		}
		files[i] = file
		sent += file.Size
	}
	bar := newProgress(p.options, sent)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelUploads)
	for i, m := range list {
		group.Go(func() error {
			if err := p.send(ctx, files[i], m.URL, bar); err != nil {
				return fmt.Errorf("upload %s: %w", m.Path, err)
			}
			return nil
		})
	}
	err = group.Wait()
	bar.end()
	return sent, err
}

// send uploads one file to its address, without the key: the address itself authorizes.
func (p *pusher) send(ctx context.Context, file release.File, to string, bar *progress) error {
	address, err := p.client.base.Parse(to)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" {
		return fmt.Errorf("the server returned the invalid upload address %q", to)
	}
	counted := &share{bar: bar}
	_, err = p.client.do(ctx, request{
		method: "PUT", url: address.String(), size: file.Size, limit: uploadTime, idempotent: true,
		headers: map[string]string{"Content-Type": "application/octet-stream"},
		body: func() (io.ReadCloser, error) {
			f, err := p.folder.fsys.Open(file.Path)
			if err != nil {
				return nil, err
			}
			return counted.of(f), nil
		},
	})
	return err
}
