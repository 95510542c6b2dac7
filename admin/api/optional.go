package api

import (
	"time"

	"vitrine/internal/shop"
)

// OptionalTime is a date in a request that may be cleared: absent keeps it, "" or null clears it.
type OptionalTime struct {
	Set bool       `json:"-"`
	At  *time.Time `json:"-"`
}

// UnmarshalJSON reads an RFC 3339 date, an empty string or null.
func (o *OptionalTime) UnmarshalJSON(b []byte) error {
	o.Set = true
	if s := string(b); s == "null" || s == `""` {
		return nil
	}
	var at time.Time
	if at.UnmarshalJSON(b) != nil {
		return shop.ErrInvalidRequest.With("must be a date in RFC 3339")
	}
	o.At = &at
	return nil
}
