package upkeep_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/intake"
	"vitrine/admin/upkeep"
	"vitrine/internal/await"
	"vitrine/internal/blob"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
	"vitrine/internal/store/release"
	"vitrine/internal/store/sweep"
)

type (
	m = apitest.Map
	l = []any
)

// fixture is an API with the upkeep of one worker.
type fixture struct {
	*apitest.API
	*upkeep.Upkeep
	t *testing.T
}

func open(t *testing.T) fixture {
	t.Helper()
	t.Parallel()
	a := apitest.New(t)
	return fixture{a, upkeep.New(a.Store, a.Blobs, slog.New(slog.DiscardHandler), a.Clock.Now), t}
}

// day runs the rounds of a day, during which every shard is collected.
func (h fixture) day() {
	h.t.Helper()
	for range 24 * time.Hour / upkeep.Every {
		h.round()
		h.Clock.Advance(upkeep.Every)
	}
}

func (h fixture) round() {
	h.t.Helper()
	if err := h.Round(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

// upload is a file of a shop; done is the path that confirms it.
type upload struct{ id, url, done string }

func (h fixture) announce(key string) upload {
	h.t.Helper()
	answer := h.OK("POST", "/v1/storages/files", key, m{"section": "content", "file_type": "file", "original_name": "notes.txt"})
	up := answer["upload"].(m)
	return upload{answer["result"].(m)["id"].(string), up["url"].(string), "/v1/storages/files/" + up["id"].(string) + "/done"}
}

func (h fixture) stored(key, content string) upload {
	h.t.Helper()
	u := h.announce(key)
	h.OK("PUT", u.url, "", content)
	h.OK("POST", u.done, key, nil)
	return u
}

func sum(content string) string {
	hash := sha256.Sum256([]byte(content))
	return hex.EncodeToString(hash[:])
}

// kept reports whether the bytes are in the blob store.
func (h fixture) kept(content string) bool {
	h.t.Helper()
	has, err := h.Blobs.Has(h.t.Context(), sum(content))
	if err != nil {
		h.t.Fatal(err)
	}
	return has
}

func TestUnconfirmedUploadsAreDeleted(t *testing.T) {
	h := open(t)
	announced, sent, finished := h.announce(h.Owner), h.announce(h.Owner), h.stored(h.Owner, "finished")
	h.OK("PUT", sent.url, "", "sent")
	h.Clock.Advance(upkeep.Unfinished - 25*time.Hour)
	h.day()
	if !h.kept("sent") {
		t.Error("an upload keeps its bytes for two days")
	}
	h.Refused("POST", announced.done, h.Owner, nil, 400, "UPLOAD_MISSING")
	h.Clock.Advance(2 * time.Hour)
	h.day()
	for _, u := range []upload{announced, sent} {
		h.Refused("POST", u.done, h.Owner, nil, 404, "FILE_NOT_FOUND")
	}
	if h.kept("sent") || !h.kept("finished") {
		t.Error("only confirmed bytes should be kept")
	}
	h.OK("GET", "/v1/storages/files/"+finished.id, h.Owner, nil)
}

func TestIncompleteReleasesAreDeleted(t *testing.T) {
	h := open(t)
	doc := h.Result("POST", "/html-documents", h.Owner, m{"item": m{"name": "page"}})["id"].(string)
	release := func(content string, send bool) string {
		answer := h.OK("POST", "/html-documents/"+doc+"/releases", h.Owner, m{"base": "none", "files": l{
			m{"path": "index.html", "sha256": sum(content), "size": len(content)},
		}})
		for _, u := range answer["upload"].(l) {
			if send {
				h.OK("PUT", u.(m)["upload_url"].(string), "", content)
			}
		}
		return "/html-documents/" + doc + "/releases/" + answer["release_id"].(string)
	}
	whole, lacking := release("<p>whole", true), release("<p>lacking", false)
	h.Clock.Advance(upkeep.Unfinished + time.Hour)
	h.day()
	h.OK("GET", whole, h.Owner, nil)
	h.Refused("GET", lacking, h.Owner, nil, 404, "RELEASE_NOT_FOUND")
	if !h.kept("<p>whole") {
		t.Error("an unpublished release has lost its bytes")
	}
}

func TestFoldersOfDeletedOwnersFreeTheirBytes(t *testing.T) {
	h := open(t)
	section := h.Result("POST", "/categories", h.Owner, m{"item": m{"name": "Manual", "type": "site", "is_published": true}})
	layout := h.Result("POST", "/content-blocks", h.Owner, m{"item": m{"name": "Layout", "group_type": "theme"}})
	owners := map[string]string{ // deleted entities, by the path of their releases
		"/site-folders/" + fmt.Sprint(section["id"]):    "/categories/" + fmt.Sprint(section["id"]),
		"/themes/" + fmt.Sprint(layout["id"]) + "/site": "/content-blocks/" + fmt.Sprint(layout["id"]),
	}
	for root := range owners {
		content := "<!doctype html>" + root
		answer := h.OK(
			"POST", root+"/releases", h.Owner,
			m{"base": "none", "files": l{m{"path": "index.html", "sha256": sum(content), "size": len(content)}}},
		)
		h.OK("PUT", answer["upload"].(l)[0].(m)["upload_url"].(string), "", content)
		h.OK("POST", root+"/releases/"+answer["release_id"].(string)+"/publish", h.Owner, nil)
	}
	used := func() int64 {
		h.round()
		used, _, err := media.Storage(t.Context(), h.Store.Shop(h.Shop.ID))
		if err != nil {
			t.Fatal(err)
		}
		return used
	}
	before := used()
	for _, owner := range owners {
		h.OK("DELETE", owner, h.Owner, nil)
	}
	h.Clock.Advance(upkeep.Restorable - time.Hour)
	if got := used(); before == 0 || got != before {
		t.Errorf("%d bytes while the section can be restored, want %d", got, before)
	}
	h.Clock.Advance(2 * time.Hour)
	if got := used(); got != 0 {
		t.Errorf("%d bytes are used by inaccessible data", got)
	}
}

func TestObjectsAreRemovedWithTheirLastOwner(t *testing.T) {
	h := open(t)
	mine, theirs := h.stored(h.Owner, "shared"), h.stored(h.Stranger, "shared")
	h.OK("DELETE", "/v1/storages/files/"+mine.id, h.Owner, nil)
	h.Clock.Advance(upkeep.Grace + time.Hour)
	h.day()
	if !h.kept("shared") {
		t.Fatal("another shop still uses it")
	}
	h.OK("DELETE", "/v1/storages/files/"+theirs.id, h.Stranger, nil)
	h.day()
	if h.kept("shared") {
		t.Error("no shop uses it any more")
	}
}

// A backup may still need objects whose rows are gone.
func TestObjectsStayWhileABackupIsMade(t *testing.T) {
	h := open(t)
	f := h.stored(h.Owner, "unused")
	ran, err := h.Store.RunExclusive(t.Context(), store.Backup, func(context.Context) error {
		h.OK("DELETE", "/v1/storages/files/"+f.id, h.Owner, nil)
		h.Clock.Advance(upkeep.Grace + time.Hour)
		h.day()
		if !h.kept("unused") {
			t.Error("it was removed")
		}
		return nil
	})
	if !ran || err != nil {
		t.Fatal(ran, err)
	}
	h.day()
	if h.kept("unused") {
		t.Error("it was not removed afterwards")
	}
}

func TestRecentObjectsAreKept(t *testing.T) {
	h := open(t)
	if _, err := h.Blobs.Put(t.Context(), io.LimitReader(zeros{}, 9), 9); err != nil {
		t.Fatal(err)
	}
	h.day()
	if !h.kept(string(make([]byte, 9))) {
		t.Fatal("its row may not be written yet")
	}
	h.day()
	h.day()
	if h.kept(string(make([]byte, 9))) {
		t.Error("no row refers to it")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Unreferenced bytes are uploaded again while they are collected, many times: bytes of a
// confirmed upload can always be read.
func TestBytesUploadedDuringCollectionAreNotLost(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir, err := blob.OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	h := fixture{API: apitest.New(t, func(cfg *admin.Config) { cfg.Blobs = dir }), t: t}
	h.Blobs = dir
	const content, rounds = "again", 25
	path := filepath.Join(root, "sha256", sum(content)[:2], sum(content))
	long, line, collected := time.Unix(1e9, 0), time.Unix(1e9+1, 0), 0
	for range rounds {
		if _, err := dir.Put(t.Context(), strings.NewReader(content), 9); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
		u := h.announce(h.Owner)
		var both sync.WaitGroup
		both.Go(func() {
			h.OK("PUT", u.url, "", content)
			h.OK("POST", u.done, h.Owner, nil)
		})
		both.Go(func() {
			orphans, err := media.Unreferenced(t.Context(), h.Store, []string{sum(content)})
			for _, sha := range orphans {
				gone, cerr := dir.Collect(t.Context(), sha, line)
				if err = errors.Join(err, cerr); gone {
					collected++
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
		both.Wait()
		if !h.kept(content) {
			t.Fatal("the file exists, but its bytes are missing")
		}
		h.OK("DELETE", "/v1/storages/files/"+u.id, h.Owner, nil)
		h.Clock.Advance(time.Minute) // a new window of the rate limits
	}
	t.Logf("in %d of %d uploads the collector removed the bytes", collected, rounds)
}

func TestOnlyOneWorkerRunsTheUpkeep(t *testing.T) {
	h := open(t)
	u := h.announce(h.Owner)
	h.Clock.Advance(upkeep.Unfinished + time.Hour)
	ran, err := h.Store.RunExclusive(t.Context(), "upkeep", func(context.Context) error {
		h.round() // another worker, while the first one is running
		h.Refused("POST", u.done, h.Owner, nil, 400, "UPLOAD_MISSING")
		return nil
	})
	if !ran || err != nil {
		t.Fatal(ran, err)
	}
	h.round()
	h.Refused("POST", u.done, h.Owner, nil, 404, "FILE_NOT_FOUND")
}

func TestARoundDeletesExpiredRows(t *testing.T) {
	h := open(t)
	send := func(name string) m {
		answer := h.Send(
			apitest.Request{
				Method: "POST", Path: "/products", Key: h.Owner, Body: m{"item": m{"name": name}},
				Header: map[string]string{"Idempotency-Key": "k"},
			},
		)
		return m{"status": answer.Status, "replayed": answer.Header.Get("Idempotent-Replayed")}
	}
	send("Tea")
	h.Clock.Advance(24*time.Hour - time.Second)
	h.round()
	if got := send("Tea"); got["replayed"] != "true" {
		t.Errorf("within a day: %v", got)
	}
	h.Clock.Advance(time.Second)
	h.round()
	if got := send("Coffee"); got["status"] != 200 || got["replayed"] != "" {
		t.Errorf("after a day: %v", got)
	}
	entries := func() int { return len(h.OK("GET", "/audit", h.Owner, nil)["result"].(l)) }
	if entries() == 0 {
		t.Fatal("no entry")
	}
	h.Clock.Advance(91 * 24 * time.Hour)
	h.round()
	if n := entries(); n != 0 {
		t.Errorf("%d entries after 91 days", n)
	}
}

func TestAReleaseReusesBytesDuringTheirDeletion(t *testing.T) {
	h := open(t)
	u := h.stored(h.Owner, "once")
	file, err := media.OwnedBlobs(t.Context(), h.Store.Shop(h.Shop.ID), []string{sum("once")})
	if err != nil || len(file) != 1 {
		t.Fatal(file, err)
	}
	deleted := make(chan error)
	err = h.Store.Write(t.Context(), h.Shop.ID, func(tx *store.Tx) error {
		if err := sweep.LockBlobs(t.Context(), tx, []string{sum("once")}); err != nil {
			return err
		}
		go func() {
			status, _ := h.Call("DELETE", "/v1/storages/files/"+u.id, h.Owner, nil)
			if status != 200 {
				deleted <- errors.New("not deleted")
			}
			close(deleted)
		}()
		owned, err := media.OwnedBlobs(t.Context(), tx.Reader, []string{sum("once")})
		if len(owned) != 1 {
			t.Error("the bytes are not locked")
		}
		d := release.Document{Kind: "html", Name: "d", Level: 3}
		if err := errors.Join(err, release.InsertDocument(t.Context(), tx, &d)); err != nil {
			return err
		}
		return release.InsertRelease(t.Context(), tx, &release.Release{Document: d.ID}, []release.NewReleaseFile{
			{ReleaseFile: release.ReleaseFile{Path: "a.txt", SHA256: sum("once"), Size: 4, MIME: "text/plain"}},
		})
	})
	if err := errors.Join(err, await.Next(t, deleted)); err != nil {
		t.Fatal(err)
	}
	h.Clock.Advance(upkeep.Grace + time.Hour)
	h.day()
	if !h.kept("once") {
		t.Error("the release has lost its file")
	}
}

// A process that is killed during an upload leaves a reservation, an unreferenced object and a
// partial temporary file.
func TestRemainsOfAKilledUploadAreRemoved(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir, err := blob.OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	a := apitest.New(t, func(cfg *admin.Config) { cfg.Blobs = dir })
	a.Blobs = dir
	h := fixture{a, upkeep.New(a.Store, dir, slog.New(slog.DiscardHandler), a.Clock.Now), t}
	half := filepath.Join(root, "tmp", "put-half")
	if err := os.WriteFile(half, []byte("half a bo"), 0o600); err != nil {
		t.Fatal(err)
	}
	in := intake.New(a.Store, dir, slog.New(slog.DiscardHandler))
	reservation, err := in.Reserve(t.Context(), a.Shop.ID, blob.Ref{Size: 50})
	if err == nil {
		_, err = reservation.Put(t.Context(), strings.NewReader("whole body"))
	}
	if err != nil {
		t.Fatal(err)
	}
	pending := func() int64 {
		t.Helper()
		n, err := media.Pending(t.Context(), a.Store.Shop(a.Shop.ID))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	h.round()
	if pending() != 10 || !h.kept("whole body") {
		t.Errorf("%d bytes pending: the upload may still be in progress", pending())
	}
	a.Clock.Advance(intake.Lifetime + time.Minute)
	h.round()
	if _, err := os.Stat(half); pending() != 0 || h.kept("whole body") || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%d bytes pending, the object is there: %v, partial file: %v", pending(), h.kept("whole body"), err)
	}
}

// hanging is a blob store that answers a listing only once its caller gives up.
type hanging struct {
	blob.Store
	t     *testing.T
	asked int
}

func (b *hanging) Each(ctx context.Context, shard string, _ func(string, time.Time) error) error {
	b.asked++
	if end, bounded := ctx.Deadline(); !bounded || time.Until(end) > upkeep.BucketTime {
		b.t.Errorf("the listing of %s may hold the upkeep until %v", shard, end)
	}
	return context.DeadlineExceeded
}

// A bucket that hangs while it is listed holds the lock of the upkeep for a bounded time. Rows are deleted
// before, and the next round, of any process, goes on.
func TestABucketThatHangsHoldsTheUpkeepForABoundedTime(t *testing.T) {
	h := open(t)
	b := &hanging{Store: h.Blobs, t: t}
	stuck := upkeep.New(h.Store, b, slog.New(slog.DiscardHandler), h.Clock.Now)
	session := h.Session(h.OwnerID)
	h.OK("DELETE", "/v1/shop", session, m{"slug": "tea"})
	h.Clock.Advance(store.RestoreWindow + time.Hour)
	if err := stuck.Round(t.Context()); !errors.Is(err, context.DeadlineExceeded) || b.asked == 0 {
		t.Errorf("%d listings, %v", b.asked, err)
	}
	var left int
	if err := h.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM company WHERE id = $1`, h.Shop.ID).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d shops are left, %v", left, err)
	}
	h.round()
}
