package ucp_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// officialFolder has the protocol's own JSON Schemas, which are not part of the project: .ci/run says so
// where they are missing.
const officialFolder = "../../../../shared/cases/ucp"

const officialBase = "https://official.test/"

// official compiles the protocol's own schemas; nil where they are missing. References are resolved by
// file, as the profile's are. A pick-up place fits both kinds of destinations, so either is enough.
var official = sync.OnceValues(func() (*compiledSchemas, error) {
	if _, err := os.Stat(officialFolder); err != nil {
		return nil, nil
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	err := filepath.WalkDir(officialFolder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" || strings.Contains(path, "/services/") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte(`https://ucp.dev/`), []byte(officialBase))
		parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		schema := parsed.(map[string]any)
		delete(schema, "$id")
		if strings.HasSuffix(path, "fulfillment_destination.json") {
			schema["anyOf"] = schema["oneOf"]
			delete(schema, "oneOf")
		}
		name, err := filepath.Rel(officialFolder, path)
		if err != nil {
			return err
		}
		return c.AddResource(officialBase+filepath.ToSlash(name), schema)
	})
	return &compiledSchemas{compiler: c, base: officialBase, done: map[string]*jsonschema.Schema{}}, err
})

// compiledSchemas are the schemas of one compiler, by their addresses.
type compiledSchemas struct {
	compiler *jsonschema.Compiler
	base     string
	mu       sync.Mutex
	done     map[string]*jsonschema.Schema
}

// fits reports a JSON text that does not fit a schema.
func (c *compiledSchemas) fits(t testing.TB, at string, text []byte) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done[at] == nil {
		s, err := c.compiler.Compile(c.base + at)
		if err != nil {
			t.Fatal(err)
		}
		c.done[at] = s
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if err := c.done[at].Validate(value); err != nil {
		t.Errorf("%s does not fit: %v\n%s", at, err, text)
	}
}

// own compiles a document of the program itself, in which unknown fields are refused.
func own(t testing.TB, name string, document []byte) *compiledSchemas {
	t.Helper()
	var parsed any
	if err := json.Unmarshal(document, &parsed); err != nil {
		t.Fatal(err)
	}
	seal(parsed)
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource(officialBase+name, parsed); err != nil {
		t.Fatal(err)
	}
	return &compiledSchemas{compiler: c, base: officialBase + name, done: map[string]*jsonschema.Schema{}}
}

func seal(node any) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			seal(item)
		}
	case map[string]any:
		if _, known := node["properties"].(map[string]any); known && node["type"] == "object" && node["additionalProperties"] == nil {
			node["additionalProperties"] = false
		}
		for _, child := range node {
			seal(child)
		}
	}
}
