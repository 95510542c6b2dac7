package openapi

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed examples.json
var recordedFile []byte

// Recorded is one call as it really went: the JSON of its request and of its
// answer, or the text of an answer that is no JSON.
type Recorded struct {
	Request any `json:"request,omitempty"`
	Answer  any `json:"answer,omitempty"`
}

// examples reads the recorded calls by "METHOD /path".
func examples() (map[string]Recorded, error) {
	list := map[string]Recorded{}
	if err := json.Unmarshal(recordedFile, &list); err != nil {
		return nil, fmt.Errorf("examples.json: %w", err)
	}
	return list, nil
}
