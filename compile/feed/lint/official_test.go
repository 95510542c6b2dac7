//go:build official

package lint

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The published schemas are not part of this project: OFFICIAL_SCHEMAS names their folder.
func TestTheTemplateForAssistantsFollowsTheOfficialSchema(t *testing.T) {
	file, err := os.Open(filepath.Join(os.Getenv("OFFICIAL_SCHEMAS"), "acp", "schema.feed.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("feed.json", document); err != nil {
		t.Fatal(err)
	}
	product, err := compiler.Compile("feed.json#/$defs/Product")
	if err != nil {
		t.Fatal(err)
	}
	name, body := seed(t, "acp_jsonl")
	out, _ := render(t, name, body, demo())
	lines := bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
	if len(lines) != 30 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if err := product.Validate(value); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	broken, _ := jsonschema.UnmarshalJSON(bytes.NewReader(bytes.Replace(lines[0], []byte(`"price"`), []byte(`"cost"`), 1)))
	if product.Validate(broken) == nil {
		t.Error("the schema accepts a product with an unknown field")
	}
}
