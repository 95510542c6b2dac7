package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vitrine/admin/api"
)

// checker holds every answer of every test to the OpenAPI document: the status
// and the type of the body are listed, a JSON body fits its schema to the last
// field, and a refusal is one that the row of the endpoint lists. So no schema
// and no list of errors can rot.
type checker struct {
	document map[string]any
	rows     []checkedRow
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

type checkedRow struct {
	method   string
	path     string
	segments *regexp.Regexp
	fixed    int // segments without a name, of which a router prefers more
	refusals api.Refusals
}

// theChecker is one for all tests of a process: the document is the same for
// all, and compiling its schemas costs more than most tests.
var theChecker struct {
	once sync.Once
	*checker
	err error
}

const documentName = "openapi.json"

func (a *API) checker() *checker {
	a.t.Helper()
	theChecker.once.Do(func() {
		theChecker.checker, theChecker.err = newChecker(a.get("/openapi.json"), a.Admin.Table())
	})
	a.must(theChecker.err)
	return theChecker.checker
}

func newChecker(document []byte, table []api.Endpoint) (*checker, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	root, ok := parsed.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the OpenAPI document is no object")
	}
	c := &checker{document: root, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	c.compiler.DefaultDraft(jsonschema.Draft2020)
	c.compiler.AssertFormat()
	close(root)
	if err := c.compiler.AddResource(documentName, root); err != nil {
		return nil, err
	}
	for i := range table {
		c.rows = append(c.rows, checkedRowOf(&table[i]))
	}
	// A router prefers what is spelled out over what is named.
	slices.SortStableFunc(c.rows, func(x, y checkedRow) int { return y.fixed - x.fixed })
	return c, nil
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

// close refuses unknown fields in every object of answers: in what is not the
// schema of a request.
func close(node any) {
	object, ok := node.(map[string]any)
	if !ok {
		if list, ok := node.([]any); ok {
			for _, item := range list {
				close(item)
			}
		}
		return
	}
	if _, known := object["properties"].(map[string]any); known && object["type"] == "object" && object["additionalProperties"] == nil {
		object["additionalProperties"] = false
	}
	for name, child := range object {
		if name == "requestBody" || name == "example" || name == "examples" || strings.HasSuffix(name, "Input") {
			continue
		}
		close(child)
	}
}

// row finds the endpoint of a request; ok is false for addresses that are none.
func (c *checker) row(method, path string) (r checkedRow, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	for _, r := range c.rows {
		if r.method == method && r.segments.MatchString(path) {
			return r, true
		}
	}
	return checkedRow{}, false
}

// check reports what an answer has that its operation does not list.
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
	if code := Code(got.JSON); got.Status >= 400 && !row.refusals.Has(code, got.Status) {
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
	if _, listed := content[kind]; !listed && len(got.Body) > 0 {
		fail("no such type: %s", kind)
		return
	}
	if kind == "application/json" && len(got.Body) > 0 {
		if err := c.validate(pointer+"/content/application~1json/schema", got.Body); err != nil {
			fail("%v", err)
		}
	}
}

// accepted holds the JSON body of a request that succeeded to its schema: what
// the endpoint reads, the document must allow. Of a batch with failures some
// item may not have been read.
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

// pointer is the place of an operation in the document.
func (r checkedRow) pointer() string {
	return "/paths/" + escape(r.path) + "/" + strings.ToLower(r.method)
}

// response finds the response object of a status and its JSON pointer.
func (c *checker) response(row checkedRow, status int) (object map[string]any, pointer string) {
	pointer = row.pointer() + "/responses/" + strconv.Itoa(status)
	object = c.at(pointer)
	if ref, ok := object["$ref"].(string); ok {
		pointer = strings.TrimPrefix(ref, "#")
		object = c.at(pointer)
	}
	return object, pointer
}

func (c *checker) at(pointer string) map[string]any {
	node := c.document
	for name := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		node, _ = node[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)].(map[string]any)
	}
	return node
}

func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// validate holds a JSON text to the schema at a pointer of the document.
func (c *checker) validate(pointer string, body []byte) error {
	c.mu.Lock()
	compiled, known := c.compiled[pointer]
	if !known {
		var err error
		if compiled, err = c.compiler.Compile(documentName + "#" + pointer); err != nil {
			c.mu.Unlock()
			return err
		}
		c.compiled[pointer] = compiled
	}
	c.mu.Unlock()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

// get reads a document of the API itself.
func (a *API) get(path string) []byte {
	a.t.Helper()
	req, err := http.NewRequest(http.MethodGet, AdminURL+path, nil)
	a.must(err)
	return a.roundTrip(req).Body
}

// Row is the endpoint that answers a call, as "GET /products/{id}"; empty when
// none does.
func (a *API) Row(method, path string) string {
	a.t.Helper()
	if r, ok := a.checker().row(method, strings.TrimPrefix(path, AdminURL)); ok {
		return r.method + " " + r.path
	}
	return ""
}

// FitsRequest reports whether a JSON body fits the request schema of an endpoint,
// which examples of guides and of the document must.
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

// FitsAnswer reports whether a JSON body fits the schema of an endpoint's answer.
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
