package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// perSecond is the arrival rate of visitors, whether or not earlier ones have finished.
const perSecond = 50

// The number of writes while visitors read; every round has two publications, a failed one, a
// rollback, a published draft and a discarded one. Each write waits for its share of the
// visits.
const (
	releaseRounds = 8
	releaseVisits = 600
)

// readers is visitors who read a page and the files it refers to.
type readers struct {
	*program
	shown     atomic.Pointer[moment]
	visits    atomic.Int64
	files     atomic.Int64
	releases  sync.Map // the names of releases that were seen
	mu        sync.Mutex
	wrong     []string
	visiting  sync.WaitGroup
	transport http.Client
}

// moment holds the names of the releases that visitors may see now.
type moment struct {
	step    int
	allowed []string
}

// expect sets the releases that may be seen from now on: the old and the new one during a
// write, and only one after the response.
func (r *readers) expect(names ...string) {
	step := 0
	if old := r.shown.Load(); old != nil {
		step = old.step + 1
	}
	r.shown.Store(&moment{step, names})
}

func (r *readers) complain(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.wrong) < 20 {
		r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
	}
}

// get requests one address; any status except 200 is an error.
func (r *readers) get(path string) (body string, ok bool) {
	request, err := http.NewRequest("GET", "http://"+r.edge+path, nil)
	if err != nil {
		r.complain("%s: %v", path, err)
		return "", false
	}
	request.Host = "tea.localhost"
	response, err := r.transport.Do(request)
	if err != nil {
		r.complain("%s: %v", path, err)
		return "", false
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		r.complain("%s: %d %v %.200s", path, response.StatusCode, err, data)
		return "", false
	}
	return string(data), true
}

var (
	releaseName = regexp.MustCompile(`release (\w+)`)
	releaseFile = regexp.MustCompile(`/_html/\d+/\d+/[\w/.]+`)
	releaseRoot = regexp.MustCompile(`/_html/\d+/\d+/`)
)

// visitOnce reads the page and its files: all of one release, which must be one that may be
// seen now.
func (r *readers) visitOnce() {
	before := r.shown.Load()
	body, ok := r.get("/landing")
	after := r.shown.Load()
	if !ok {
		return
	}
	r.visits.Add(1)
	names := releaseName.FindAllString(body, -1)
	if len(names) != 2 || names[0] != names[1] {
		r.complain("the page contains %v", names)
		return
	}
	name := strings.TrimPrefix(names[0], "release ")
	if _, seen := r.releases.LoadOrStore(name, true); !seen && strings.HasPrefix(name, "hidden") {
		r.complain("a visitor saw %s", name)
	}
	if after.step-before.step <= 1 && !slices.Contains(before.allowed, name) && !slices.Contains(after.allowed, name) {
		r.complain("a visitor saw %s, where %v and then %v may be seen", name, before.allowed, after.allowed)
	}
	if roots := slices.Compact(releaseRoot.FindAllString(body, -1)); len(roots) != 1 {
		r.complain("the page names files of %v", roots)
	}
	for _, file := range slices.Compact(releaseFile.FindAllString(body, -1)) {
		if text, ok := r.get(file); ok {
			r.files.Add(1)
			if !strings.Contains(text, "release "+name+" ") {
				r.complain("the page of %s includes %s: %s", name, file, text)
			}
		}
	}
}

// come starts the visitors; the returned function stops them and waits for the last one.
func (r *readers) come() (stop func()) {
	tick, end := time.NewTicker(time.Second/perSecond), make(chan struct{})
	var door sync.WaitGroup
	door.Go(func() {
		for {
			select {
			case <-tick.C:
				r.visiting.Go(r.visitOnce)
			case <-end:
				return
			}
		}
	})
	return func() {
		tick.Stop()
		close(end)
		door.Wait()
		r.visiting.Wait()
	}
}

// bundle is a release that contains its name in every file; a broken one refers to a missing
// file.
func bundle(t *testing.T, name string, broken bool) []byte {
	files := map[string][]byte{
		"css/site.css": []byte("/* release " + name + " */ h1 { color: red }"),
		"js/site.js":   []byte("// release " + name + " \nwindow.ran = 1"),
		"index.html": []byte(`<!DOCTYPE html><title>Landing</title><link rel="stylesheet" href="css/site.css"><h1>release ` + name +
			`</h1><script src="js/site.js"></script><p>release ` + name + `</p>`),
	}
	if broken {
		delete(files, "js/site.js")
	}
	return packFiles(t, files)
}

// Publications, failures, rollbacks and drafts while visitors read: no visitor gets a mixture
// of two releases, an error, or an unpublished release.
func TestVisitorsNeverSeeAMixtureOfReleases(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	dev := p.verb("key", "issue", "--shop", "tea", "--scopes", "all", "--contour", "dev")["key"].(string)
	p.start()
	doc := itoa(p.must(key, "POST", "/html-documents", map[string]any{"item": map[string]any{"name": "landing", "level": 3}})["id"])
	page := p.must(
		key, "POST", "/categories",
		map[string]any{"item": map[string]any{"name": "Landing", "type": "page", "is_published": true, "seo": map[string]any{"slug": "landing"}}},
	)
	block := p.must(key, "POST", "/content-blocks", map[string]any{"item": map[string]any{"name": "landing", "sections": []any{
		map[string]any{
			"type":    "text",
			"payload": map[string]any{"v": 2, "kind": "html", "props": map[string]any{"html": map[string]any{"documentId": doc}}},
		}}}})
	p.must(
		key, "PUT", "/categories/"+itoa(page["id"])+"/content-blocks",
		map[string]any{"items": []any{map[string]any{"block_id": block["id"], "sort_order": 1}}},
	)
	zip := func(key, name string, broken bool) (status int, release string) {
		status, answer := p.call(key, "POST", "/html-documents/"+doc+"/releases/zip?base=none&publish=1", bundle(t, name, broken))
		return status, itoa(answer["release_id"])
	}
	publish := func(name string) string {
		status, release := zip(key, name, false)
		if status != 200 {
			t.Fatalf("publishing %s: %d", name, status)
		}
		return release
	}
	r := &readers{program: p}
	publish("start")
	r.expect("start")
	stop := r.come()
	rounds := 0
	for ; rounds < releaseRounds; rounds++ {
		last := r.shown.Load().allowed[0]
		first, second, draft := fmt.Sprintf("first%d", rounds), fmt.Sprintf("second%d", rounds), fmt.Sprintf("draft%d", rounds)
		r.expect(last, first)
		release := publish(first)
		r.expect(first)
		r.expect(first, second)
		publish(second)
		r.expect(second)
		if status, _ := zip(key, fmt.Sprintf("hiddenfailed%d", rounds), true); status != 422 {
			t.Errorf("a broken release is answered %d", status)
		}
		r.expect(second, first)
		p.must(key, "POST", "/html-documents/"+doc+"/rollback", map[string]any{"release_id": release})
		r.expect(first)
		if status, _ := zip(dev, fmt.Sprintf("hiddendraft%d", rounds), false); status != 200 {
			t.Errorf("a draft is answered %d", status)
		}
		p.must(dev, "POST", "/drafts/discard", map[string]any{"all": true})
		if status, _ := zip(dev, draft, false); status != 200 {
			t.Errorf("a draft is answered %d", status)
		}
		r.expect(first, draft)
		p.must(key, "POST", "/drafts/publish", map[string]any{"all": true})
		r.expect(draft)
		// Not faster than the visitors, nor than the shop's limit of writes per minute.
		wait(t, "the visitors of a round", func() bool { return r.visits.Load()*releaseRounds >= int64(rounds+1)*releaseVisits })
	}
	stop()
	seen := 0
	r.releases.Range(func(any, any) bool { seen++; return true })
	t.Logf("%d visits and %d files at %d visitors per second over %d writes; %d of %d live releases were seen; wrong: %d",
		r.visits.Load(), r.files.Load(), perSecond, 1+7*rounds, seen, 1+3*rounds, len(r.wrong))
	for _, wrong := range r.wrong {
		t.Error(wrong)
	}
	if seen < rounds || r.files.Load() != 2*r.visits.Load() {
		t.Errorf("%d releases were seen, %d files of %d visits", seen, r.files.Load(), r.visits.Load())
	}
}
