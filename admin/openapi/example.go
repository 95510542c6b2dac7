package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

//go:embed examples.json
var recordedFile []byte

// Recorded is a recorded call: the JSON of its request and of its response, or the text of a
// response that is not JSON.
type Recorded struct {
	Request any `json:"request,omitempty"`
	Answer  any `json:"answer,omitempty"`
}

// examples returns the recorded calls by "METHOD /path". They are parsed once and never changed.
var examples = sync.OnceValues(func() (map[string]Recorded, error) {
	list := map[string]Recorded{}
	if err := json.Unmarshal(recordedFile, &list); err != nil {
		return nil, fmt.Errorf("examples.json: %w", err)
	}
	return list, nil
})
