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
var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
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
	known := map[string]*jsonschema.Schema{}
	for _, name := range []string{"CheckoutSession", "Error", "Order", "DiscoveryResponse"} {
		if known[name], err = c.Compile("acp.json#/$defs/" + name); err != nil {
			return nil, err
		}
	}
	return known, nil
})

func officially(name string, answer any) error {
	known, err := schemas()
	if err != nil {
		return err
	}
	return known[name].Validate(answer)
}
