package admin_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/admin/media"
	"vitrine/admin/openapi"
	"vitrine/internal/outbound"
)

var update = flag.Bool("update", false, "rewrite openapi/examples.json")

const (
	examplesFile = "openapi/examples.json"
	shownItems   = 1   // of a list in an example
	shownText    = 500 // bytes of a text
)

// recorder runs the story of a shop and keeps the first successful call of every endpoint.
type recorder struct {
	*apitest.API
	t     *testing.T
	calls map[string]openapi.Recorded
	after func(apitest.Request) // if set, runs after every call
}

type object = apitest.Map

// do makes a call as key; the call must succeed.
func (r *recorder) do(key, method, path string, body any) object {
	r.t.Helper()
	return r.send(apitest.Request{Method: method, Path: path, Key: key, Body: body})
}

// by makes a call with the owner's key.
func (r *recorder) by(method, path string, body any) object {
	r.t.Helper()
	return r.do(r.Owner, method, path, body)
}

func (r *recorder) send(q apitest.Request) object {
	r.t.Helper()
	got := r.Send(q)
	for n := 0; got.Status == 429 && r.after != nil && n < 5; n++ { // the replays used up the limits of the next minutes
		r.Clock.Advance(time.Minute)
		got = r.Send(q)
	}
	if got.Status >= 400 {
		r.t.Fatalf("%s %s: %d %s", q.Method, q.Path, got.Status, got.Body)
	}
	name := r.Row(q.Method, q.Path)
	if _, known := r.calls[name]; !known {
		r.calls[name] = openapi.Recorded{Request: request(r.t, q.Body), Answer: r.shown(got)}
		if r.after != nil {
			r.after(q)
		}
	}
	return got.JSON
}

// request returns a body as JSON for an example; bodies of raw bytes are left out.
func request(t *testing.T, body any) (v any) {
	switch body.(type) {
	case nil, io.Reader, string, []byte:
		return nil
	}
	text, err := json.Marshal(body)
	if err == nil {
		err = json.Unmarshal(secrets.ReplaceAll(text, []byte("<SECRET>")), &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// shown shortens a response for an example and removes credentials from it.
func (r *recorder) shown(got apitest.Answer) any {
	kind := got.Header.Get("Content-Type")
	if kind == "application/zip" {
		return nil
	}
	if !strings.HasPrefix(kind, "application/json") {
		return short(string(got.Body))
	}
	if got.JSON["openapi"] == "3.1.0" {
		return nil
	}
	var v any
	if err := json.Unmarshal(secrets.ReplaceAll(got.Body, []byte("<SECRET>")), &v); err != nil {
		r.t.Fatal(err)
	}
	return pruned(v)
}

// secrets matches keys, session tokens, upload tokens, codes of invitations, secrets of apps, signed
// previews and signed exports.
var secrets = regexp.MustCompile(`\bv[tsui]_[0-9A-Za-z]{36}\b|\b([0-9]+-){4}[0-9a-f]{64}\b|\b([0-9]+-){3}[0-9]+\.[0-9A-Za-z_-]{32}|\b[A-Z2-7]{32}\b`)

func short(text string) string {
	if len(text) > shownText {
		text = text[:strings.LastIndexByte(text[:shownText], '\n')+1]
	}
	return text
}

// pruned shortens long lists and texts.
func pruned(v any) any {
	switch v := v.(type) {
	case string:
		if len(v) > 2*shownText {
			return strings.ToValidUTF8(v[:shownText], "") + "…"
		}
	case []any:
		list := slices.Clone(v[:min(len(v), shownItems)])
		for i := range list {
			list[i] = pruned(list[i])
		}
		return list
	case map[string]any:
		copied := maps.Clone(v)
		for name, value := range copied {
			copied[name] = pruned(value)
		}
		return copied
	}
	return v
}

// id formats an id for a path.
func id(v any) string {
	if n, ok := v.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

func result(v object, name string) any {
	fields, ok := v["result"].(object)
	if !ok {
		return nil
	}
	return fields[name]
}

// anyPicture accepts any upload or download as a picture.
func anyPicture(c *admin.Config) {
	picture := media.Picture{Format: "png", Width: 1200, Height: 800}
	c.Media = media.Images{
		Inspect: func([]byte) (media.Picture, error) { return picture, nil },
		Master: func(_ context.Context, file []byte) ([]byte, media.Picture, error) {
			return append([]byte("RIFF"), file...), picture, nil
		},
		Photo: func(_ context.Context, file []byte) ([]byte, media.Picture, error) {
			return append([]byte("RIFF"), file...), picture, nil
		},
	}
	c.Hook.Client = outbound.New( // receivers have host names that resolve to this machine
		outbound.ForWebhooks(), outbound.Allow(netip.MustParsePrefix("127.0.0.1/32")),
		outbound.Resolve(func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		}),
	)
	c.Fetch = func(context.Context, outbound.Request) (*outbound.Answer, error) {
		return &outbound.Answer{Status: 200, Size: -1, Body: io.NopCloser(strings.NewReader("\x89PNG"))}, nil
	}
}

func sum(text string) string {
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}

// Every endpoint has an example in the document, recorded from the API itself, and every
// example fits its schemas. With -update, missing examples and those that no longer fit are
// recorded again; the others stay, so that a change is small.
func TestExamplesAreRealCalls(t *testing.T) {
	t.Parallel()
	a := apitest.New(t, anyPicture)
	r := &recorder{API: a, t: t, calls: map[string]openapi.Recorded{}}
	r.story()
	kept := readExamples(t)
	if *update {
		maps.DeleteFunc(kept, func(name string, _ openapi.Recorded) bool { _, recorded := r.calls[name]; return !recorded })
	}
	for _, e := range a.Admin.Table() {
		name := e.Method + " " + e.Path
		if _, recorded := r.calls[name]; !recorded {
			t.Errorf("the story lacks %s: add a call and run go test ./admin -run Examples -update", name)
		}
		example, known := kept[name]
		err := fits(a, e, example)
		switch {
		case known && err == nil:
		case *update:
			kept[name] = r.calls[name]
		default:
			t.Errorf("the example of %s: known %v, %v; run go test ./admin -run Examples -update", name, known, err)
		}
	}
	for name := range kept {
		if _, recorded := r.calls[name]; !recorded {
			t.Errorf("an example of %s, which is not an endpoint", name)
		}
	}
	if *update {
		writeExamples(t, kept)
	}
}

// fits validates an example against the schemas of its endpoint.
func fits(a *apitest.API, e api.Endpoint, example openapi.Recorded) error {
	if example.Request != nil {
		if err := a.FitsRequest(e.Method, e.Path, example.Request); err != nil {
			return err
		}
	}
	if _, text := example.Answer.(string); example.Answer == nil || text {
		return nil
	}
	return a.FitsAnswer(e.Method, e.Path, e.Success(), example.Answer)
}

func writeExamples(t *testing.T, calls map[string]openapi.Recorded) {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(calls); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(examplesFile, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readExamples(t *testing.T) map[string]openapi.Recorded {
	t.Helper()
	text, err := os.ReadFile(examplesFile)
	if err != nil {
		t.Fatal(err)
	}
	if secrets.Match(text) {
		t.Errorf("%s holds a secret", examplesFile)
	}
	recorded := map[string]openapi.Recorded{}
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	return recorded
}
