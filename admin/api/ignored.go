package api

import "slices"

// IgnoredHeader lists the fields of a request that nothing read, because unknown names are not
// refused (CONTRACT, "Answers").
const IgnoredHeader = "X-Ignored-Fields"

// MarkIgnored records that an endpoint ignored a field, if it was sent.
func (c *Call) MarkIgnored(place string, sent bool) {
	if sent {
		c.ignored.Add(place)
	}
}

// setIgnoredHeader sets the header, with unknown query parameters after the unknown fields.
func (c *Call) setIgnoredHeader() {
	known := c.endpoint.Query()
	for name := range c.http.QueryArgs().All() {
		if name := string(name); !slices.Contains(c.asked, name) && !slices.Contains(known, name) {
			c.ignored.AddParameter(name)
		}
	}
	if list := c.ignored.String(); list != "" {
		c.SetHeader(IgnoredHeader, list)
	}
}
