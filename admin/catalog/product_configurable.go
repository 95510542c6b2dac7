package catalog

import (
	"encoding/json"
	"strconv"
)

// optionalBool is a switch in a request that may fall back to a setting: absent keeps it, null
// clears it.
type optionalBool struct {
	Set   bool  `json:"-"`
	Value *bool `json:"-"`
}

// UnmarshalJSON reads true, false or null.
func (o *optionalBool) UnmarshalJSON(b []byte) error {
	o.Set = true
	return json.Unmarshal(b, &o.Value)
}

// cell writes the switch into a CSV cell, empty for null.
func (o optionalBool) cell() string {
	if o.Value == nil {
		return ""
	}
	return strconv.FormatBool(*o.Value)
}
