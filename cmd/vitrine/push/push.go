// Package push is the transfer tool of "vitrine push": it publishes a local folder on a
// shop's storefront, using only the admin API.
//
//	folder ─ walk, hash ─► manifest ─ POST releases ─► what is missing
//	                                  PUT each file ─► POST publish ─► report
//
// A push replaces the whole release: files that were removed from the folder disappear from
// the page. Contents that the shop already has are not sent again, so a second push of a
// large folder costs two calls.
//
// Targets:
//
//	page:/about      the document shown by the page; page and document are created
//	                 if they are missing, after the first release was published
//	page:/           the same for the home page
//	doc:12           that html document, on whichever page it is mounted
//	site:3, theme:7  a site section, a layout
//
// Findings of publishing are printed as file:line, like those of compilers. A refused release
// leaves the live page untouched.
package push

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"vitrine/compile/release"
	"vitrine/internal/shop"
)

// Options of one push.
type Options struct {
	Dir string // the folder
	To  string // the target: see the package comment

	Admin string // address of the admin API
	Key   string // an API key with catalog:read, catalog:write and storage:write

	Frame        Frame
	SEOOverwrite bool // title and description replace those of the page
	DryRun       bool // print the findings of publishing, without a server

	Out      io.Writer // receives the Result as one JSON object
	Log      io.Writer // receives the report for people
	Terminal bool      // Log is a terminal: show a progress bar

	Client *http.Client                               // nil: http.DefaultClient
	Wait   func(context.Context, time.Duration) error // waits between two attempts; nil: real time
}

// Result is the outcome of a push.
type Result struct {
	URL        string          `json:"url"`
	Path       string          `json:"path"`
	DocumentID shop.DocumentID `json:"document_id"`
	ReleaseID  shop.ReleaseID  `json:"release_id"`
	Uploaded   int             `json:"uploaded"` // files sent
	Reused     int             `json:"reused"`   // files that the shop already had
	Bytes      int64           `json:"bytes"`    // sent; in a dry run, of the whole folder
	DryRun     bool            `json:"dry_run,omitempty"`
	Report     release.Report  `json:"report"`
}

// Errors that end a push, in addition to those of the folder (*shop.Refusal) and of the API
// (*APIError).
var (
	ErrTarget  = errors.New("a target must be page:/slug, doc:ID, site:SECTION_ID or theme:ID")
	ErrKey     = errors.New("no key: give --key or set VITRINE_KEY")
	ErrInvalid = errors.New("the folder has errors; nothing was published")
)

// Run pushes a folder. On an error the live release is unchanged.
func Run(ctx context.Context, o Options) error {
	to, err := ParseTarget(o.To)
	if err != nil {
		return err
	}
	if err := o.Frame.check(to); err != nil {
		return err
	}
	f, err := readFolder(os.DirFS(o.Dir), to.inspected().Limits())
	if err != nil {
		return err
	}
	f.describe(o.Log)
	if o.DryRun {
		return dryRun(ctx, o, to, f)
	}
	c, err := newClient(o)
	if err != nil {
		return err
	}
	p := &pusher{client: c, options: o, folder: f}
	result, err := p.push(ctx, to)
	if err != nil {
		p.explain(err)
		return err
	}
	printReport(o.Log, result.Report)
	fmt.Fprintf(o.Log, "published %s: release %s, %d sent, %d reused\n", result.place(), result.ReleaseID, result.Uploaded, result.Reused)
	return printResult(o.Out, result)
}

// dryRun prints what publishing would find, and the target address. The host is known only
// to the server: without a key, or if the server does not respond, only the path is printed.
func dryRun(ctx context.Context, o Options, to Target, f *folder) error {
	found, err := f.look(to.inspected())
	if err != nil {
		return err
	}
	printReport(o.Log, found.Report)
	if !found.Report.OK() {
		return ErrInvalid
	}
	result := Result{
		URL: o.address(ctx, to), Path: to.path, DocumentID: to.document(), Bytes: release.Size(f.files), DryRun: true, Report: found.Report,
	}
	fmt.Fprintf(o.Log, "a dry run: nothing was sent; it would be published at %s\n", result.place())
	return printResult(o.Out, result)
}

// askTime is how long a dry run waits for the shop's address.
const askTime = 3 * time.Second

// address is the address of a page, empty if it cannot be determined.
func (o Options) address(ctx context.Context, to Target) string {
	if o.Key == "" || to.kind != page {
		return ""
	}
	ctx, end := context.WithTimeout(ctx, askTime)
	defer end()
	c, err := newClient(o)
	if err != nil {
		return ""
	}
	origin, err := (&pusher{client: c, options: o}).origin(ctx)
	if err != nil {
		return ""
	}
	return origin + to.path
}

// pusher is a push in progress.
type pusher struct {
	client  *client
	options Options
	folder  *folder
}

func (p *pusher) push(ctx context.Context, to Target) (Result, error) {
	switch to.kind {
	case page:
		return p.toPage(ctx, to.path)
	case document:
		return p.publish(ctx, documentAt(to.document()), to.document())
	case site:
		r, err := p.publish(ctx, "/site-folders/"+to.id.String(), 0)
		return r, unsupported(err, "site folders")
	default:
		r, err := p.publish(ctx, "/themes/"+to.id.String()+"/site", 0)
		return r, unsupported(err, "layout folders")
	}
}

// explain prints the report of a refusal.
func (p *pusher) explain(err error) {
	var refused *APIError
	if errors.As(err, &refused) && refused.Report != nil {
		printReport(p.options.Log, *refused.Report)
	}
}

func (r Result) place() string {
	switch {
	case r.URL != "":
		return r.URL
	case r.Path != "":
		return r.Path
	}
	return "document " + r.DocumentID.String()
}

func printResult(w io.Writer, r Result) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}
