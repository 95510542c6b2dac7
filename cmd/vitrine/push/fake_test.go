package push

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/compile/release"
)

const fakeKey = "vt_key"

// fake is an in-memory admin API with the endpoints used by a push.
type fake struct {
	t   testing.TB
	url string

	mu       sync.Mutex
	blobs    map[string]bool // by sha256
	pending  map[string]string
	releases map[string][]release.File // by release id
	live     map[string]string         // document -> release
	pages    []map[string]any
	blocks   map[string]json.RawMessage // by block id
	attached map[string][]string        // category -> blocks
	log      []string                   // METHOD path of every call
	answers  map[string][]answer        // prepared answers, by METHOD path
	last     int
	report   release.Report // of every publication
	sending  int            // uploads in progress
	most     int            // maximum in parallel
	bodies   map[string]map[string]any
}

// answer replaces the real answer once.
type answer struct {
	status int
	body   string
	after  string // Retry-After
}

func newFake(t testing.TB) *fake {
	f := &fake{
		t: t, blobs: map[string]bool{}, pending: map[string]string{}, releases: map[string][]release.File{}, live: map[string]string{},
		blocks: map[string]json.RawMessage{}, attached: map[string][]string{}, answers: map[string][]answer{}, bodies: map[string]map[string]any{}, last: 10,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /html-documents", f.newDocument)
	mux.HandleFunc("DELETE /html-documents/{id}", func(w http.ResponseWriter, r *http.Request) {
		delete(f.live, r.PathValue("id"))
		f.say(w, map[string]any{})
	})
	mux.HandleFunc("POST /html-documents/{id}/releases", f.newRelease)
	mux.HandleFunc("POST /html-documents/{id}/releases/{rid}/publish", f.publish)
	mux.HandleFunc("GET /categories", func(w http.ResponseWriter, _ *http.Request) { f.say(w, map[string]any{"result": f.pages}) })
	mux.HandleFunc("GET /categories/{id}", func(w http.ResponseWriter, r *http.Request) { f.sayPage(w, "id", r.PathValue("id")) })
	mux.HandleFunc(
		"GET /categories/by-slug/{slug}",
		func(w http.ResponseWriter, r *http.Request) { f.sayPage(w, "slug", r.PathValue("slug")) },
	)
	mux.HandleFunc("PUT /categories/{id}", f.changePage)
	mux.HandleFunc("PUT /content-blocks/{id}", f.changeBlock)
	mux.HandleFunc("POST /categories", f.newPage)
	mux.HandleFunc("POST /content-blocks", f.newBlock)
	mux.HandleFunc("PUT /categories/{id}/content-blocks", f.attach)
	mux.HandleFunc("GET /v1/orgs/current", func(w http.ResponseWriter, _ *http.Request) {
		f.say(w, map[string]any{"result": map[string]any{"storefront_url": "http://tea.test"}})
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/uploads/") {
			f.receive(w, r)
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.instead(w, r) {
			return
		}
		if r.Header.Get("Authorization") != "Bearer "+fakeKey {
			f.refuse(w, 401, "UNAUTHENTICATED", nil)
			return
		}
		if _, pattern := mux.Handler(r); pattern == "" {
			f.refuse(w, 404, "NOT_FOUND", nil)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	f.url = server.URL
	t.Cleanup(server.Close)
	return f
}

// instead sends the next prepared answer to a call, and logs the call in any case.
func (f *fake) instead(w http.ResponseWriter, r *http.Request) bool {
	call := r.Method + " " + r.URL.Path
	f.log = append(f.log, call)
	queue := f.answers[call]
	if len(queue) == 0 {
		return false
	}
	f.answers[call] = queue[1:]
	if queue[0].after != "" {
		w.Header().Set("Retry-After", queue[0].after)
	}
	w.WriteHeader(queue[0].status)
	io.WriteString(w, queue[0].body)
	return true
}

func (f *fake) say(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		f.t.Error(err)
	}
}

func (f *fake) refuse(w http.ResponseWriter, status int, code string, fields map[string]any) {
	body := map[string]any{"error": "rpc error: code = X desc = " + code + ": detail"}
	for k, v := range fields {
		body[k] = v
	}
	w.WriteHeader(status)
	f.say(w, body)
}

func (f *fake) read(r *http.Request, v any) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, v)
	}
	var any map[string]any
	if err == nil {
		err = json.Unmarshal(body, &any)
	}
	f.bodies[r.Method+" "+r.URL.Path] = any
	if err != nil {
		f.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
}

func (f *fake) next() string {
	f.last++
	return strconv.Itoa(f.last)
}

func (f *fake) newDocument(w http.ResponseWriter, r *http.Request) {
	var in struct{ Item struct{ Level int } }
	f.read(r, &in)
	if in.Item.Level != 3 {
		f.t.Errorf("level %d", in.Item.Level)
	}
	id := f.next()
	f.live[id] = ""
	f.say(w, map[string]any{"result": map[string]any{"id": id}})
}

func (f *fake) newRelease(w http.ResponseWriter, r *http.Request) {
	if _, ok := f.live[r.PathValue("id")]; !ok {
		f.refuse(w, 404, "HTML_DOCUMENT_NOT_FOUND", nil)
		return
	}
	var in release.Request
	f.read(r, &in)
	plan, err := release.Plan(in, nil, func(sha string) bool { return f.blobs[sha] }, release.Document)
	if err != nil || in.Base != "none" {
		f.t.Errorf("release %+v: %v", in, err)
	}
	id := f.next()
	f.releases[id] = plan.Files
	upload := []map[string]any{}
	for _, file := range plan.Upload {
		token := f.next()
		f.pending[token] = file.SHA256
		upload = append(
			upload,
			map[string]any{"path": file.Path, "sha256": file.SHA256, "size": file.Size, "upload_url": f.url + "/uploads/" + token},
		)
	}
	f.say(w, map[string]any{"release_id": id, "upload": upload, "reused": plan.Reused, "inherited": []string{}})
}

func (f *fake) receive(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.sending++
	f.most = max(f.most, f.sending)
	instead := f.instead(w, r)
	want := f.pending[strings.TrimPrefix(r.URL.Path, "/uploads/")]
	f.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sending--
	if instead || err != nil { // after the refusal of one file, a push closes the connections of the other uploads; their data is dropped
		return
	}
	sum := sha256.Sum256(body)
	got := hex.EncodeToString(sum[:])
	switch {
	case r.Header.Get("Authorization") != "" || r.ContentLength != int64(len(body)):
		f.t.Errorf("upload of %d bytes: %v", len(body), r.Header)
	case got != want:
		f.refuse(w, 400, "HASH_MISMATCH", nil)
	default:
		f.blobs[got] = true
	}
}

func (f *fake) publish(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Overwrite bool `json:"seo_overwrite"`
	}
	f.read(r, &in)
	doc, id := r.PathValue("id"), r.PathValue("rid")
	for _, file := range f.releases[id] {
		if !f.blobs[file.SHA256] {
			f.refuse(w, 409, "FILES_PENDING", nil)
			return
		}
	}
	if !f.report.OK() {
		f.refuse(w, 422, "RELEASE_INVALID", map[string]any{"report": f.report})
		return
	}
	f.live[doc] = id
	f.say(
		w,
		map[string]any{
			"url": "http://tea.test/somewhere", "path": "/somewhere", "embed_prefix": "/_html/", "seo": map[string]any{},
			"report": f.report,
		},
	)
}

func (f *fake) page(id, slug string, fields map[string]any) {
	page := map[string]any{"id": json.Number(id), "parent_id": "0", "name": slug, "seo": map[string]any{"slug": slug}, "is_published": true}
	for k, v := range fields {
		page[k] = v
	}
	f.pages = append(f.pages, page)
}

func (f *fake) sayPage(w http.ResponseWriter, field, value string) {
	for _, p := range f.pages {
		id := fmt.Sprint(p["id"])
		if field == "id" && id == value || field == "slug" && p["seo"].(map[string]any)["slug"] == value {
			blocks := []map[string]any{}
			for i, b := range f.attached[id] {
				blocks = append(blocks, map[string]any{"id": b, "sections": f.blocks[b], "sort_order": i + 1})
			}
			f.say(w, map[string]any{"result": p, "content_blocks": blocks})
			return
		}
	}
	f.refuse(w, 404, "CATEGORY_NOT_FOUND", nil)
}

func (f *fake) newPage(w http.ResponseWriter, r *http.Request) {
	var in struct{ Item map[string]any }
	f.read(r, &in)
	in.Item["id"] = json.Number(f.next())
	if in.Item["seo"] == nil {
		in.Item["seo"] = map[string]any{"slug": "home"}
	}
	if in.Item["parent_id"] == nil {
		in.Item["parent_id"] = "0"
	}
	f.pages = append(f.pages, in.Item)
	f.say(w, map[string]any{"result": in.Item})
}

func (f *fake) changePage(w http.ResponseWriter, r *http.Request) {
	var in struct{ Item map[string]any }
	f.read(r, &in)
	for _, p := range f.pages {
		if fmt.Sprint(p["id"]) == r.PathValue("id") {
			maps.Copy(p, in.Item)
			f.say(w, map[string]any{"result": p})
			return
		}
	}
	f.refuse(w, 404, "CATEGORY_NOT_FOUND", nil)
}

func (f *fake) changeBlock(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Item struct{ Sections json.RawMessage }
	}
	f.read(r, &in)
	f.blocks[r.PathValue("id")] = in.Item.Sections
	f.say(w, map[string]any{})
}

func (f *fake) newBlock(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Item struct{ Sections json.RawMessage }
	}
	f.read(r, &in)
	id := f.next()
	f.blocks[id] = in.Item.Sections
	f.say(w, map[string]any{"result": map[string]any{"id": id}})
}

func (f *fake) attach(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ID    json.Number
		Items []struct {
			Block string `json:"block_id"`
			Order int    `json:"sort_order"`
		}
	}
	f.read(r, &in)
	f.attached[r.PathValue("id")] = nil
	for i, item := range in.Items {
		if item.Order != i+1 || in.ID.String() != r.PathValue("id") {
			f.t.Errorf("attached: %+v", in)
		}
		f.attached[r.PathValue("id")] = append(f.attached[r.PathValue("id")], item.Block)
	}
	f.say(w, map[string]any{})
}

// calls counts the calls with a prefix.
func (f *fake) calls(prefix string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, call := range f.log {
		if strings.HasPrefix(call, prefix) {
			n++
		}
	}
	return n
}

// paths is the live manifest of a document.
func (f *fake) paths(doc string) (paths []string) {
	for _, file := range f.releases[f.live[doc]] {
		paths = append(paths, file.Path)
	}
	return slices.Sorted(slices.Values(paths))
}

// pushed is the outcome of one push.
type pushed struct {
	Result
	err   error
	out   string
	log   string
	waits []time.Duration
}

// push runs a push of dir; change may set further options.
func (f *fake) push(dir, to string, change ...func(*Options)) (p pushed) {
	var out, log bytes.Buffer
	var mu sync.Mutex
	o := Options{
		Dir: dir, To: to, Admin: f.url + "/", Key: fakeKey, Out: &out, Log: &log,
		Wait: func(ctx context.Context, d time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			p.waits = append(p.waits, d)
			return ctx.Err()
		},
	}
	for _, c := range change {
		c(&o)
	}
	p.err = Run(f.t.Context(), o)
	p.out, p.log = out.String(), log.String()
	if p.err == nil {
		if err := json.Unmarshal(out.Bytes(), &p.Result); err != nil {
			f.t.Errorf("%q: %v", p.out, err)
		}
	} else if p.out != "" {
		f.t.Errorf("an error, but the output %q", p.out)
	}
	return p
}
