//go:build official

package acp_test

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemas compiles the published schemas. They are not part of this project: OFFICIAL_SCHEMAS names
// their folder.
var schemas = sync.OnceValues(func() (map[bool]*jsonschema.Schema, error) {
	file, err := os.Open(filepath.Join(os.Getenv("OFFICIAL_SCHEMAS"), "acp", "schema.agentic_checkout.json"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	document, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("acp.json", document); err != nil {
		return nil, err
	}
	session, err := c.Compile("acp.json#/$defs/CheckoutSession")
	if err != nil {
		return nil, err
	}
	refused, err := c.Compile("acp.json#/$defs/Error")
	return map[bool]*jsonschema.Schema{true: session, false: refused}, err
})

func officially(status int, answer any) error {
	known, err := schemas()
	if err != nil {
		return err
	}
	return known[status < 300].Validate(answer)
}
