package assist_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// official checks a body with a schema of the protocols, where the machine has them.
func official(t testing.TB, name string, body []byte) {
	t.Helper()
	c := schemas()
	if c == nil {
		return
	}
	schemaLock.Lock()
	defer schemaLock.Unlock()
	path, fragment, _ := strings.Cut(name, "#")
	s, err := c.Compile(ids[path] + "#" + fragment)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%v: %s", err, body)
	}
}

var (
	schemaLock sync.Mutex
	ids        = map[string]string{} // of the schemas by their files
)

var schemas = sync.OnceValue(func() *jsonschema.Compiler {
	root := filepath.Join("..", "..", "..", "shared", "cases")
	c := jsonschema.NewCompiler()
	found := false
	_ = filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error { //nolint:errcheck // there are none
		if err != nil || filepath.Ext(path) != ".json" || strings.Contains(path, "discovery") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return err
		}
		fields, _ := doc.(map[string]any)
		id, _ := fields["$id"].(string)
		if id == "" {
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		ids[filepath.ToSlash(name)], found = id, true
		return c.AddResource(id, doc)
	})
	if !found {
		return nil
	}
	return c
})
