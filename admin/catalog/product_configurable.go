package catalog

import (
	"encoding/json"
	"strconv"
)

// optionalBool reads a switch that may be left to a setting: absent leaves it as it
// is, null clears it.
type optionalBool struct {
	Set   bool  `json:"-"`
	Value *bool `json:"-"`
}

// UnmarshalJSON reads true, false or null.
func (o *optionalBool) UnmarshalJSON(b []byte) error {
	o.Set = true
	return json.Unmarshal(b, &o.Value)
}

// cell is the switch in a CSV, empty for null.
func (o optionalBool) cell() string {
	if o.Value == nil {
		return ""
	}
	return strconv.FormatBool(*o.Value)
}
