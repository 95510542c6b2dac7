package apitest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vitrine/admin"
	"vitrine/admin/api"
	"vitrine/admin/openapi"
)

// checker checks every response of every test against the OpenAPI document: the status and the
// content type must be listed, a JSON body must fit its schema in every field, and a refusal
// must be listed by the endpoint. So schemas and lists of errors stay correct.
type checker struct {
	document map[string]any
	rows     []checkedRow
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
	valid    map[checked]bool // large bodies that fit
}

// checked is a body that was checked against a schema.
type checked struct {
	pointer string
	sum     [sha256.Size]byte
}

type checkedRow struct {
	method   string
	path     string
	segments *regexp.Regexp
	fixed    int // number of literal segments; a router prefers the endpoint with more
	refusals api.Refusals
}

const documentName = "openapi.json"

// theChecker is shared by all tests of a process: the document is the same for all, and
// compiling its schemas is slower than most tests.
var theChecker = sync.OnceValues(func() (*checker, error) {
	whole, err := admin.New(admin.Config{Log: slog.New(slog.DiscardHandler), Now: time.Now, URLs: api.URLs{Admin: AdminURL}})
	if err != nil {
		return nil, err
	}
	document, err := openapi.Build(whole.Table(), AdminURL, func(*api.Endpoint) bool { return true })
	if err != nil {
		return nil, err
	}
	return newChecker(document, whole.Table())
})

func (a *API) checker() *checker {
	a.t.Helper()
	c, err := theChecker()
	a.must(err)
	return c
}

func checkedRowOf(e *api.Endpoint) checkedRow {
	r := checkedRow{method: e.Method, path: e.Path, refusals: e.Refusals()}
	pattern := "^"
	for segment := range strings.SplitSeq(strings.TrimPrefix(e.Path, "/"), "/") {
		if strings.HasPrefix(segment, "{") {
			pattern += "/[^/]+"
			continue
		}
		pattern += "/" + regexp.QuoteMeta(segment)
		r.fixed++
	}
	r.segments = regexp.MustCompile(pattern + "$")
	return r
}

// row returns the endpoint of a request; ok is false for unknown addresses.
func (c *checker) row(method, path string) (r checkedRow, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	for _, r := range c.rows {
		if r.method == method && r.segments.MatchString(path) {
			return r, true
		}
	}
	return checkedRow{}, false
}

// check reports everything in a response that its operation does not list.
func (c *checker) check(t testing.TB, r Request, got Answer) {
	t.Helper()
	row, ok := c.row(r.Method, strings.TrimPrefix(r.Path, AdminURL))
	if !ok {
		return // HEAD, other methods, unknown addresses
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("OpenAPI, %s %s, %d: %s\n%.600s", row.method, row.path, got.Status, fmt.Sprintf(format, args...), got.Body)
	}
	if code := Code(got.JSON); got.Status >= 400 && got.Status != 416 && !row.refusals.Has(code, got.Status) {
		fail("the row does not list the refusal %s", code)
		return
	}
	if err := c.accepted(row, r.Body, got); err != nil {
		fail("a request that succeeds does not fit its schema: %v", err)
	}
	response, pointer := c.response(row, got.Status)
	if response == nil {
		fail("no such status")
		return
	}
	content, _ := response["content"].(map[string]any)
	kind, _, _ := strings.Cut(got.Header.Get("Content-Type"), ";")
	_, listed := content[kind]
	if _, any := content["*/*"]; !listed && !any && len(got.Body) > 0 {
		fail("no such type: %s", kind)
		return
	}
	if kind == "application/json" && len(got.Body) > 0 {
		if err := c.validate(pointer+"/content/application~1json/schema", got.Body); err != nil {
			fail("%v", err)
		}
	}
}

// accepted checks the JSON body of a successful request against its schema: the document must
// allow everything that the endpoint accepts. Items of a batch with failures are not checked,
// because they may not have been read.
func (c *checker) accepted(row checkedRow, body any, got Answer) error {
	object, isJSON := body.(Map)
	pointer := row.pointer() + "/requestBody/content/application~1json"
	failed, _ := got.JSON["failed"].(float64)
	if !isJSON || got.Status >= 300 || failed > 0 || c.at(pointer) == nil {
		return nil
	}
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return c.validate(pointer+"/schema", text)
}

// pointer returns the JSON pointer of an operation in the document.
func (r checkedRow) pointer() string {
	return "/paths/" + escape(r.path) + "/" + strings.ToLower(r.method)
}

// Row returns the endpoint of a call, such as "GET /products/{id}", or "" if there is none.
func (a *API) Row(method, path string) string {
	a.t.Helper()
	if r, ok := a.checker().row(method, strings.TrimPrefix(path, AdminURL)); ok {
		return r.method + " " + r.path
	}
	return ""
}

// FitsRequest checks a JSON body against the request schema of an endpoint, which examples in
// guides and in the document must match.
func (a *API) FitsRequest(method, path string, body any) error {
	a.t.Helper()
	c := a.checker()
	row, ok := c.row(method, path)
	if !ok {
		return fmt.Errorf("no endpoint %s %s", method, path)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.validate(row.pointer()+"/requestBody/content/application~1json/schema", text)
}

// FitsAnswer checks a JSON body against the schema of an endpoint's response.
func (a *API) FitsAnswer(method, path string, status int, body any) error {
	a.t.Helper()
	c := a.checker()
	row, ok := c.row(method, path)
	if !ok {
		return fmt.Errorf("no endpoint %s %s", method, path)
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, pointer := c.response(row, status)
	return c.validate(pointer+"/content/application~1json/schema", text)
}
