// Package schematest checks what tests receive against JSON Schemas: those of the program's own documents, and
// the published ones of the protocols for assistants.
package schematest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// folder names the directory of the published schemas, one folder for each protocol. They are not part of the
// project: .ci/run says where they are missing.
const folder = "OFFICIAL_SCHEMAS"

const base = "https://schemas.test/"

// Set is a set of schemas that refer to each other. A nil one checks nothing.
type Set struct {
	base     string
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

func newSet(base string) *Set {
	s := &Set{base: base, compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	s.compiler.DefaultDraft(jsonschema.Draft2020)
	s.compiler.AssertFormat()
	return s
}

// Own returns the schemas of a document of the program, in which unknown fields are refused. They are named by
// their JSON pointers, as "#/paths/…".
func Own(t testing.TB, document []byte) *Set {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatalf("%v: %s", err, document)
	}
	seal(parsed)
	s := newSet(base + "own.json")
	if err := s.compiler.AddResource(s.base, parsed); err != nil {
		t.Fatal(err)
	}
	return s
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

// Official returns the published schemas, which are named by their files, as "ucp/schemas/…json#/$defs/…"; nil
// where they are missing.
func Official(t testing.TB) *Set {
	t.Helper()
	s, err := official()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var official = sync.OnceValues(func() (*Set, error) {
	root := os.Getenv(folder)
	if root == "" {
		return nil, nil
	}
	s := newSet(base)
	return s, errors.Join(s.add(root, "ucp"), s.add(root, "acp"))
})

// add adds the schemas of a protocol. References are resolved by file, since several schemas of one protocol
// have the same id.
func (s *Set) add(root, protocol string) error {
	return filepath.WalkDir(filepath.Join(root, protocol), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "services" { // descriptions of APIs
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte("https://ucp.dev/"), []byte(base+"ucp/"))
		parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		schema, is := parsed.(map[string]any)
		if !is {
			return nil
		}
		delete(schema, "$id")
		if d.Name() == "fulfillment_destination.json" { // a pick-up place fits both kinds of destinations
			schema["anyOf"] = schema["oneOf"]
			delete(schema, "oneOf")
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return s.compiler.AddResource(base+filepath.ToSlash(name), schema)
	})
}

// Fits reports a JSON text that does not fit a schema.
func (s *Set) Fits(t testing.TB, at string, text []byte) {
	t.Helper()
	if s == nil {
		return
	}
	if err := s.Validate(at, text); err != nil {
		t.Errorf("%s does not fit: %v\n%s", at, err, text)
	}
}

// Validate returns why a JSON text does not fit a schema.
func (s *Set) Validate(at string, text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compiled[at] == nil {
		schema, err := s.compiler.Compile(s.base + at)
		if err != nil {
			return err
		}
		s.compiled[at] = schema
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.compiled[at].Validate(value)
}
