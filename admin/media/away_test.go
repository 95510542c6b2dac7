package media_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/blob"
	"vitrine/internal/blob/blobtest"
	"vitrine/internal/outbound"
)

// wantUnavailable expects the response of a storage that accepts no bytes at the moment.
func (l library) wantUnavailable(method, path, key string, body any) {
	l.t.Helper()
	answer := l.Send(apitest.Request{Method: method, Path: path, Key: key, Body: body})
	if answer.Status != 503 || apitest.Code(answer.JSON) != "UNAVAILABLE" || answer.Header.Get("Retry-After") == "" {
		l.t.Errorf("%s %s: %d %s", method, path, answer.Status, answer.Body)
	}
}

// A bucket that becomes unreachable during an upload, its confirmation or a fetch fails that
// call, and loses nothing that was acknowledged.
func TestAnUnreachableBucketFailsTheCallOnly(t *testing.T) {
	server := blobtest.Start(t)
	bucket, err := blob.Open(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	picture := pngOf(t, noisePicture(300, 300, 1))
	l := openWith(t, func(cfg *admin.Config) {
		cfg.Blobs = bucket
		cfg.Fetch = func(context.Context, outbound.Request) (*outbound.Answer, error) {
			return &outbound.Answer{Status: 200, Size: -1, Body: io.NopCloser(endless(100))}, nil
		}
	})
	before := l.stored("image", "before.png", pngOf(t, noisePicture(20, 20, 9)))
	u := l.announce("image", "tea.png")
	server.Proxy.CutAfter(int64(len(picture)/2), 1<<20)
	l.wantUnavailable("PUT", u.url, "", picture)
	l.wantUnavailable("POST", fromURL, l.Owner, fetchBody("http://8.8.8.8/tea.png"))
	l.refuseDone(u, 400, "UPLOAD_MISSING") // the upload was not acknowledged
	server.Proxy.Restore()
	l.put(u, picture)
	for name, cut := range map[string]func(){
		"while the upload is read": func() { server.Proxy.CutAfter(1<<20, int64(len(picture)/2)) }, "at once": server.Proxy.Cut,
		"while the master is kept": func() { server.Proxy.CutAfter(4<<10, 1<<20) },
	} {
		cut()
		l.wantUnavailable("POST", "/v1/storages/files/"+u.uploadID+"/done", l.Owner, nil)
		if f := l.Result("GET", "/v1/storages/files/"+u.id, l.Owner, nil); f["status"] != "uploaded" {
			t.Errorf("%s: %v", name, f)
		}
		server.Proxy.Restore()
	}
	done := l.done(u)
	for _, f := range []apitest.Map{before, done} {
		row, err := l.served(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, sha := range []string{row.SHA256, row.OriginalSHA256} {
			if _, err := bucket.ReadAll(t.Context(), sha, 1<<20); err != nil {
				t.Error(err)
			}
		}
	}
	if list := l.OK("GET", "/v1/storages/files", l.Owner, nil); list["total"] != 2.0 {
		t.Errorf("%v files", list["total"])
	}
}

// disk is a store with a full disk: it reads some of the bytes and then fails like internal/blob,
// whose own test uses a real full device.
type disk struct {
	blob.Store
	full atomic.Bool
}

func (d *disk) PutWithNote(ctx context.Context, r io.Reader, limit int64, note func(blob.Ref) error) (blob.Ref, error) {
	if !d.full.Load() {
		return d.Store.PutWithNote(ctx, r, limit, note)
	}
	return blob.Ref{}, fails(r)
}

func (d *disk) PutExpect(ctx context.Context, r io.Reader, sha string, size int64) error {
	if !d.full.Load() {
		return d.Store.PutExpect(ctx, r, sha, size)
	}
	return fails(r)
}

func fails(r io.Reader) error {
	_, err := io.CopyN(io.Discard, r, 1000)
	return fmt.Errorf("%w: write: %w %v", blob.ErrUnavailable, syscall.ENOSPC, err)
}

func TestAFullDisk(t *testing.T) {
	t.Parallel()
	var d *disk
	l := openWith(t, func(cfg *admin.Config) {
		d = &disk{Store: cfg.Blobs}
		cfg.Blobs = d
	})
	u, sent := l.announce("image", "tea.png"), l.announce("image", "sent.png")
	picture := pngOf(t, noisePicture(300, 300, 1))
	l.put(sent, picture)
	used := l.used()
	d.full.Store(true)
	l.wantUnavailable("PUT", u.url, "", picture)
	l.wantUnavailable("PUT", l.announce("file", "large.bin").url, "", endless(9<<20))
	l.wantUnavailable("PUT", sent.url, "", pngOf(t, noisePicture(20, 20, 2)))
	l.wantUnavailable("POST", "/v1/storages/files/"+sent.uploadID+"/done", l.Owner, nil)
	if l.used() != used {
		t.Errorf("%d bytes are counted", l.used()-used)
	}
	d.full.Store(false)
	if done := l.done(sent); done["width"] != 300.0 {
		t.Errorf("an acknowledged upload is gone: %v", done)
	}
	l.put(u, picture)
	l.done(u)
}

// lines collects log lines.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(line)
}

// An upload URL is a secret for a day, so it is not logged even if the storage is unreachable.
func TestAFailedUploadDoesNotLogItsURL(t *testing.T) {
	t.Parallel()
	log := &lines{}
	l := openWith(t, func(cfg *admin.Config) {
		d := &disk{Store: cfg.Blobs}
		d.full.Store(true)
		cfg.Blobs, cfg.Log = d, slog.New(slog.NewTextHandler(log, nil))
	})
	u := l.announce("file", "a.pdf")
	l.wantUnavailable("PUT", u.url, "", "%PDF-1.7")
	token := u.url[strings.LastIndexByte(u.url, '/')+1:]
	if got := log.all.String(); strings.Contains(got, token) || !strings.Contains(got, "path=/v1/storages/uploads/{id}/{token}") {
		t.Errorf("logged: %s", got)
	}
}
