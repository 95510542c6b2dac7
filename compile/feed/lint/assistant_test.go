package lint

import (
	"bytes"
	"testing"

	"vitrine/internal/schematest"
)

func TestTheTemplateForAssistantsFollowsTheOfficialSchema(t *testing.T) {
	const product = "acp/schema.feed.json#/$defs/Product"
	official := schematest.Official(t)
	name, body := seed(t, "acp_jsonl")
	out, _ := render(t, name, body, demo())
	lines := bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
	if len(lines) != 30 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		official.Fits(t, product, line)
	}
	if official != nil && official.Validate(product, bytes.Replace(lines[0], []byte(`"price"`), []byte(`"cost"`), 1)) == nil {
		t.Error("the schema accepts a product with an unknown field")
	}
}
