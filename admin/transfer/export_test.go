package transfer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/upkeep"
	"vitrine/internal/blob"
	"vitrine/internal/blob/blobtest"
	"vitrine/internal/shop"
	companydb "vitrine/internal/store/company"
	jobdb "vitrine/internal/store/job"
)

type m = apitest.Map

// yard is an API with a worker that runs jobs when the test says so.
type yard struct {
	*apitest.API
	t     *testing.T
	owner string // a session
}

func open(t *testing.T) *yard {
	t.Helper()
	a := apitest.New(t)
	return &yard{API: a, t: t, owner: a.Session(a.OwnerID)}
}

// work runs the jobs that are due, and returns how many those were.
func (y *yard) work() int {
	y.t.Helper()
	loop := y.Admin.Jobs()
	due, err := loop.Claim(y.t.Context(), 10)
	if err != nil {
		y.t.Fatal(err)
	}
	for _, c := range due {
		if err := loop.Deliver(y.t.Context(), 0, c); err != nil {
			y.t.Error(err)
		}
	}
	return len(due)
}

func (y *yard) export(who string) (id string) {
	y.t.Helper()
	got := y.Send(apitest.Request{Method: "POST", Path: "/v1/shop/export", Key: who})
	if got.Status != 202 {
		y.t.Fatalf("POST /v1/shop/export: %d %s", got.Status, got.Body)
	}
	j := got.JSON["result"].(m)
	if j["state"] != "queued" || j["kind"] != "shop_export" || j["result"] != nil || j["error"] != "" {
		y.t.Errorf("a job that waits: %v", j)
	}
	return j["id"].(string)
}

func (y *yard) job(id string) m {
	y.t.Helper()
	return y.Result("GET", "/v1/jobs/"+id, y.Session(y.OwnerID), nil) // an earlier session may have ended
}

// done returns the result of a job that is done.
func (y *yard) done(id string) m {
	y.t.Helper()
	j := y.job(id)
	if j["state"] != "done" || j["error"] != "" || j["done"] != j["total"] {
		y.t.Fatalf("the job is not done: %v", j)
	}
	return j["result"].(m)
}

func (y *yard) sweep() {
	y.t.Helper()
	if err := upkeep.New(y.Store, y.Blobs, y.Config().Log, y.Clock.Now).Round(y.t.Context()); err != nil {
		y.t.Fatal(err)
	}
}

// fetch reads an address without a session, as a browser does.
func (y *yard) fetch(url string, header map[string]string) apitest.Answer {
	y.t.Helper()
	return y.Send(apitest.Request{Method: "GET", Path: url, Header: header})
}

func names(t *testing.T, archive []byte) map[string]bool {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range z.File {
		found[f.Name] = true
	}
	return found
}

func TestAnOwnerExportsTheShop(t *testing.T) {
	t.Parallel()
	y := open(t)
	y.OK("POST", "/products", y.Owner, m{"item": m{"name": "Sencha"}})
	id := y.export(y.owner)
	if n := y.work(); n != 1 {
		t.Fatalf("%d jobs were due", n)
	}
	result := y.done(id)
	url := result["url"].(string)
	if j := y.job(id); j["total"].(float64) < 50 {
		t.Errorf("the steps of the job: %v", j)
	}
	if !strings.HasPrefix(url, apitest.AdminURL+"/v1/shop/exports/") || strings.Contains(url, "shops.test") {
		t.Errorf("the address of the file is %s", url)
	}
	got := y.fetch(url, nil)
	if got.Status != 200 || got.Header.Get("Content-Type") != "application/zip" || got.Header.Get("Cache-Control") != "no-store" ||
		!strings.HasPrefix(got.Header.Get("Content-Disposition"), `attachment; filename="tea-`+y.Clock.Now().Format("2006-01-02")+`.zip"`) {
		t.Fatalf("%d %v", got.Status, got.Header)
	}
	if size := itoa(len(got.Body)); result["size"] != size || got.Header.Get("Content-Length") != size {
		t.Errorf("%s bytes, the job says %v and the header %s", size, result["size"], got.Header.Get("Content-Length"))
	}
	found := names(t, got.Body)
	if !found["manifest.json"] || !found["tables/product.jsonl"] || found["tables/job.jsonl"] || found["tables/api_key.jsonl"] {
		t.Errorf("the file contains %v", found)
	}
	for _, c := range []struct {
		field, got string
		status     int
		from, to   int
	}{
		{"bytes=0-9", "bytes 0-9/", 206, 0, 10},
		{"bytes=-7", "", 206, len(got.Body) - 7, len(got.Body)},
		{"bytes=100-", "", 206, 100, len(got.Body)},
		{"bytes=999999999-", "bytes */", 416, 0, 0},
		{"bytes=5-4", "", 200, 0, len(got.Body)},
	} {
		part := y.fetch(url, map[string]string{"Range": c.field, "If-Range": got.Header.Get("ETag")})
		if part.Status != c.status || !strings.HasPrefix(part.Header.Get("Content-Range"), c.got) ||
			c.status != 416 && !bytes.Equal(part.Body, got.Body[c.from:c.to]) {
			t.Errorf("%s: %d %s, %d bytes", c.field, part.Status, part.Header.Get("Content-Range"), len(part.Body))
		}
	}
	if part := y.fetch(url, map[string]string{"Range": "bytes=0-9", "If-Range": `"another"`}); part.Status != 200 || len(part.Body) != len(got.Body) {
		t.Errorf("a part of another file: %d with %d bytes", part.Status, len(part.Body))
	}
	if head := y.Send(apitest.Request{Method: "HEAD", Path: url}); head.Status != 200 || head.Header.Get("Content-Length") != itoa(len(got.Body)) {
		t.Errorf("HEAD: %d %v", head.Status, head.Header)
	}
}

func TestOnlyOwnersExportAndReadTheJob(t *testing.T) {
	t.Parallel()
	y := open(t)
	admin, buyer := y.Session(y.Member(shop.Admin)), y.Session(y.Buyer("ann@people.test"))
	stranger := y.Session(y.StrangerID)
	id := y.export(y.owner)
	y.work()
	for _, c := range []struct {
		who    string
		header map[string]string
		begin  int
		code   string
		read   int
	}{
		{who: y.Owner, begin: 403, code: "PAT_METHOD_NOT_ALLOWED", read: 403},
		{who: y.Dev, begin: 403, code: "PAT_METHOD_NOT_ALLOWED", read: 403},
		{who: y.Stranger, begin: 403, code: "PAT_METHOD_NOT_ALLOWED", read: 403},
		{who: admin, begin: 403, code: "ROLE_REQUIRED", read: 404},
		{who: y.Session(y.EditorID), begin: 403, code: "ROLE_REQUIRED", read: 404},
		{who: buyer, begin: 403, code: "ROLE_REQUIRED", read: 404},
		{who: stranger, begin: 202, read: 404},
		{who: stranger, header: map[string]string{"X-Vitrine-Shop": "tea"}, begin: 403, code: "COMPANY_ID_PROBLEM", read: 403},
		{who: "", begin: 401, code: "UNAUTHENTICATED", read: 401},
		{who: y.Bound(y.OwnerID), header: y.ThroughStorefront(), begin: 403, code: "ROLE_REQUIRED", read: 404},
		{who: y.owner, header: map[string]string{"X-Service-Contour": "dev"}, begin: 400, code: "DEV_MODE_UNAVAILABLE", read: 200},
	} {
		for method, path := range map[string]string{"POST": "/v1/shop/export", "GET": "/v1/jobs/" + id, "DELETE": "/v1/jobs/" + id} {
			got := y.Send(apitest.Request{Method: method, Path: path, Key: c.who, Header: c.header})
			want := c.read
			if method == "POST" {
				want = c.begin
				if code := apitest.Code(got.JSON); want != 202 && code != c.code {
					t.Errorf("%s %v begins an export: %s, want %s", c.who, c.header, code, c.code)
				}
			}
			if got.Status != want {
				t.Errorf("%s %s of %s %v: %d %s, want %d", method, path, c.who, c.header, got.Status, got.Body, want)
			}
		}
	}
	if j := y.job(id); j["state"] != "done" {
		t.Errorf("a job that is done was stopped: %v", j)
	}
}

func TestAnAddressOfAnExportExpiresAndIsSigned(t *testing.T) {
	t.Parallel()
	y := open(t)
	second := y.Member(shop.Owner)
	id := y.export(y.owner)
	y.work()
	url := y.done(id)["url"].(string)
	refused := func(why, url string) {
		t.Helper()
		if got := y.fetch(url, nil); got.Status != 404 || apitest.Code(got.JSON) != "EXPORT_NOT_FOUND" {
			t.Errorf("%s: %d %s", why, got.Status, got.Body[:min(200, len(got.Body))])
		}
	}
	text, mac, _ := strings.Cut(strings.TrimPrefix(url, apitest.AdminURL+"/v1/shop/exports/"), ".")
	parts := strings.Split(text, "-")
	for i := range parts {
		changed := append([]string{}, parts...)
		changed[i] += "1"
		refused("a changed address", "/v1/shop/exports/"+strings.Join(changed, "-")+"."+mac)
	}
	refused("without a signature", "/v1/shop/exports/"+text+".")
	refused("with the beginning of one", "/v1/shop/exports/"+text+"."+mac[:8])
	if got := y.Send(apitest.Request{Method: "GET", Path: url, Header: y.ThroughStorefront()}); got.Status != 404 {
		t.Errorf("at the shop's host: %d", got.Status)
	}
	theirs := y.Result("GET", "/v1/jobs/"+id, y.Session(second), nil)["result"].(m)["url"].(string)
	if got := y.fetch(theirs, nil); got.Status != 200 {
		t.Errorf("another owner: %d", got.Status)
	}
	y.OK("PUT", "/v1/orgs/current/members/"+second.String(), y.owner, m{"role": "admin"})
	refused("the address of somebody who was an owner", theirs)
	y.Clock.Advance(59 * time.Minute)
	if got := y.fetch(url, nil); got.Status != 200 {
		t.Errorf("after 59 minutes: %d", got.Status)
	}
	y.Clock.Advance(2 * time.Minute)
	refused("after an hour", url)
	if fresh := y.done(id)["url"].(string); y.fetch(fresh, nil).Status != 200 {
		t.Error("a fresh address does not work")
	}
	y.Clock.Advance(22*time.Hour + 30*time.Minute)
	late := y.done(id)
	if late["url_expires_at"] != late["expires_at"] {
		t.Errorf("the address is valid longer than the file: %v", late)
	}
	y.Clock.Advance(time.Hour)
	refused("after a day", late["url"].(string))
}

func TestFilesOfExportsAreDeleted(t *testing.T) {
	t.Parallel()
	y := open(t)
	hash := func(id string) (sha string) {
		t.Helper()
		for _, j := range y.jobs() {
			if j.ID.String() == id {
				sha = j.SHA256
			}
		}
		return sha
	}
	has := func(sha string) bool {
		t.Helper()
		ok, err := y.Blobs.Has(t.Context(), sha)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	var ids, shas []string
	for i := range 3 {
		y.OK("POST", "/products", y.Owner, m{"item": m{"name": "Tea " + itoa(i)}})
		ids = append(ids, y.export(y.owner))
		y.work()
		shas = append(shas, hash(ids[i]))
	}
	if has(shas[0]) || !has(shas[1]) || !has(shas[2]) {
		t.Error("the files of the two newest exports are kept, and no others")
	}
	if old := y.done(ids[0]); old["url"] != "" || old["url_expires_at"] != nil {
		t.Errorf("a deleted file has an address: %v", old)
	}
	y.Clock.Advance(jobdb.FileKept - time.Minute)
	y.sweep()
	if !has(shas[2]) {
		t.Error("a file was deleted before its day was over")
	}
	y.Clock.Advance(2 * time.Minute)
	y.sweep()
	if has(shas[1]) || has(shas[2]) {
		t.Error("a file is kept after a day")
	}
	if old := y.done(ids[2]); old["url"] != "" {
		t.Errorf("a deleted file has an address: %v", old)
	}
	y.Clock.Advance(jobdb.Kept)
	y.sweep()
	if left := y.jobs(); len(left) > 0 {
		t.Errorf("jobs of last week are kept: %v", left)
	}
}

// Two exports wait or run, and run one after the other: a shop has one job at a time.
func TestTwoExportsWaitAndNoMore(t *testing.T) {
	t.Parallel()
	y := open(t)
	began := y.AtOnce(repeat(6, apitest.Request{Method: "POST", Path: "/v1/shop/export", Key: y.owner})...)
	var ids []string
	for _, got := range began {
		if got.Status == 202 {
			ids = append(ids, got.JSON["result"].(m)["id"].(string))
		}
	}
	if codes := apitest.Codes(began); len(ids) != jobdb.MaxAtOnce || codes["JOB_LIMIT_REACHED"] != 4 {
		t.Fatalf("%d exports wait: %v", len(ids), codes)
	}
	for range ids {
		if n := y.work(); n != 1 {
			t.Errorf("%d exports of a shop run at once", n)
		}
	}
	for _, id := range ids {
		if got := y.fetch(y.done(id)["url"].(string), nil); got.Status != 200 {
			t.Errorf("job %s: %d", id, got.Status)
		}
	}
	y.export(y.owner) // there is room again
}

func TestAnExportIsStopped(t *testing.T) {
	t.Parallel()
	y := open(t)
	waiting := y.export(y.owner)
	stop := func(id string) m {
		t.Helper()
		return y.Result("DELETE", "/v1/jobs/"+id, y.owner, nil)
	}
	if j := stop(waiting); j["state"] != "failed" || !strings.Contains(j["error"].(string), "JOB_STOPPED") || j["result"] != nil {
		t.Errorf("a stopped job: %v", j)
	}
	if n := y.work(); n != 0 {
		t.Errorf("%d stopped jobs were run", n)
	}
	running := y.export(y.owner)
	loop := y.Admin.Jobs()
	claimed, err := loop.Claim(t.Context(), 1)
	if err != nil || len(claimed) != 1 {
		t.Fatal(claimed, err)
	}
	if j := y.job(running); j["state"] != "running" || j["result"] != nil {
		t.Errorf("a claimed job: %v", j)
	}
	stop(running)
	if err := loop.Deliver(t.Context(), 0, claimed[0]); err != nil {
		t.Error(err)
	}
	if j := y.job(running); j["state"] != "failed" || j["result"] != nil {
		t.Errorf("a job that was stopped while it ran: %v", j)
	}
	if objects := y.objects(); len(objects) > 0 {
		t.Errorf("a stopped export has left %v", objects)
	}
}

func TestAShopIsDeletedWhileItIsExported(t *testing.T) {
	t.Parallel()
	y := open(t)
	y.export(y.owner)
	loop := y.Admin.Jobs()
	claimed, err := loop.Claim(t.Context(), 1)
	if err != nil || len(claimed) != 1 {
		t.Fatal(claimed, err)
	}
	if _, err := companydb.DeleteCompany(t.Context(), y.Store, y.Shop.ID); err != nil {
		t.Fatal(err)
	}
	if err := loop.Deliver(t.Context(), 0, claimed[0]); err != nil {
		t.Error(err)
	}
	if left, objects := y.jobs(), y.objects(); len(left) > 0 || len(objects) > 0 {
		t.Errorf("the deleted shop has left %v, %v", left, objects)
	}
}

func TestADeletedShopIsNotExported(t *testing.T) {
	t.Parallel()
	y := open(t)
	before := y.export(y.owner)
	y.work()
	url := y.done(before)["url"].(string)
	y.export(y.owner)
	y.OK("DELETE", "/v1/shop", y.owner, m{"slug": "tea"})
	if n := y.work(); n != 0 {
		t.Errorf("%d jobs of a deleted shop were run", n)
	}
	if got := y.fetch(url, nil); got.Status != 404 {
		t.Errorf("the file of a deleted shop: %d", got.Status)
	}
	for _, path := range []string{"POST /v1/shop/export", "GET /v1/jobs/" + before} {
		method, path, _ := strings.Cut(path, " ")
		got := y.Send(apitest.Request{Method: method, Path: path, Key: y.owner, Header: map[string]string{"X-Vitrine-Shop": "tea"}})
		if got.Status < 400 || got.Status == 500 {
			t.Errorf("%s of a deleted shop: %d %s", path, got.Status, got.Body)
		}
	}
	if got := y.Send(apitest.Request{Method: "POST", Path: "/v1/shop/restore", Key: y.owner, Header: map[string]string{"X-Vitrine-Shop": "tea"}}); got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if n := y.work(); n != 1 {
		t.Errorf("%d jobs were run after the shop was restored", n)
	}
	if got := y.fetch(url, nil); got.Status != 200 {
		t.Errorf("the file of the restored shop: %d", got.Status)
	}
}

// A worker that died leaves a job to another one once its lease is over; a job that ends every worker
// is not tried forever.
func TestAJobIsTakenAgainAfterItsLease(t *testing.T) {
	t.Parallel()
	y := open(t)
	id := y.export(y.owner)
	dead, err := y.Admin.Jobs().Claim(t.Context(), 1)
	if err != nil || len(dead) != 1 {
		t.Fatal(dead, err)
	}
	if n := y.work(); n != 0 {
		t.Fatal("a job was taken during the lease of another worker")
	}
	y.Clock.Advance(16 * time.Second)
	if n := y.work(); n != 1 {
		t.Fatalf("%d jobs were due after the lease", n)
	}
	result := y.done(id)
	if err := y.Admin.Jobs().Deliver(t.Context(), 0, dead[0]); err != nil { // it was only slow
		t.Error(err)
	}
	if again := y.done(id); again["size"] != result["size"] || y.fetch(again["url"].(string), nil).Status != 200 {
		t.Errorf("a worker that lost the job has changed it: %v", again)
	}
	fatal := y.export(y.owner)
	for range 4 {
		if _, err := y.Admin.Jobs().Claim(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		y.Clock.Advance(16 * time.Second)
	}
	y.work()
	if j := y.job(fatal); j["state"] != "failed" || !strings.Contains(j["error"].(string), "INTERNAL") {
		t.Errorf("a job that ends its workers: %v", j)
	}
}

// What fails for a while is tried again; the error of the storage is not shown.
func TestAnExportWaitsForTheStorage(t *testing.T) {
	t.Parallel()
	var away *absent
	a := apitest.New(t, func(c *admin.Config) {
		away = &absent{Store: c.Blobs}
		c.Blobs = away
	})
	y := &yard{API: a, t: t, owner: a.Session(a.OwnerID)}
	id := y.export(y.owner)
	away.is = true
	loop := y.Admin.Jobs()
	for range 2 {
		claimed, err := loop.Claim(t.Context(), 1)
		if err != nil || len(claimed) != 1 {
			t.Fatal(claimed, err)
		}
		if err := loop.Deliver(t.Context(), 0, claimed[0]); err == nil {
			t.Error("the failure is not reported")
		}
		if j := y.job(id); j["state"] != "queued" || j["error"] != "" {
			t.Errorf("a job that is tried again: %v", j)
		}
		y.Clock.Advance(time.Minute)
	}
	away.is = false
	y.work()
	y.done(id)
}

// absent is a store of files that is unavailable at times.
type absent struct {
	blob.Store
	is bool
}

func (a *absent) PutWithNote(ctx context.Context, r io.Reader, limit int64, note func(blob.Ref) error) (blob.Ref, error) {
	if a.is {
		return blob.Ref{}, blob.ErrUnavailable
	}
	return a.Store.PutWithNote(ctx, r, limit, note)
}

func itoa(n int) string { return strconv.Itoa(n) }

func repeat(n int, r apitest.Request) (list []apitest.Request) {
	for range n {
		list = append(list, r)
	}
	return list
}

// jobs reads all jobs of the two shops.
func (y *yard) jobs() (list []jobdb.Job) {
	y.t.Helper()
	conn, err := pgx.Connect(y.t.Context(), y.URL)
	if err != nil {
		y.t.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // of a test
	rows, err := conn.Query(y.t.Context(), `SELECT id, state, sha256 FROM job ORDER BY id`)
	if err != nil {
		y.t.Fatal(err)
	}
	list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (j jobdb.Job, err error) {
		return j, row.Scan(&j.ID, &j.State, &j.SHA256)
	})
	if err != nil {
		y.t.Fatal(err)
	}
	return list
}

// objects lists what the store of files contains.
func (y *yard) objects() (list []string) {
	y.t.Helper()
	for shard := range blob.Shards() {
		if err := y.Blobs.Each(y.t.Context(), shard, func(sha string, _ time.Time) error {
			list = append(list, sha)
			return nil
		}); err != nil {
			y.t.Fatal(err)
		}
	}
	return list
}

// A file in a bucket is read after the call has returned, and in parts.
func TestAnExportIsReadFromABucket(t *testing.T) {
	server := blobtest.Start(t)
	bucket, err := blob.Open(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	a := apitest.New(t, func(c *admin.Config) { c.Blobs = bucket })
	y := &yard{API: a, t: t, owner: a.Session(a.OwnerID)}
	id := y.export(y.owner)
	y.work()
	url := y.done(id)["url"].(string)
	whole := y.fetch(url, nil)
	if whole.Status != 200 || len(names(t, whole.Body)) < 50 {
		t.Fatalf("%d, %d bytes", whole.Status, len(whole.Body))
	}
	part := y.fetch(url, map[string]string{"Range": "bytes=1000-1999"})
	if part.Status != 206 || !bytes.Equal(part.Body, whole.Body[1000:2000]) {
		t.Errorf("a part: %d, %d bytes", part.Status, len(part.Body))
	}
	server.Proxy.Cut()
	if got := y.fetch(url, nil); got.Status != 503 || apitest.Code(got.JSON) != "UNAVAILABLE" {
		t.Errorf("while the bucket is unreachable: %d %s", got.Status, got.Body)
	}
	server.Proxy.Restore()
}
