package shop

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// Twin is the same page in another language at another address, announced to search engines
// by hreflang.
type Twin struct {
	Language string `json:"language" len:"35" doc:"BCP 47, such as en or pt-BR; x-default for everybody else"`
	URL      string `json:"url" len:"1000" doc:"absolute, http or https"`
}

var languageTag = regexp.MustCompile(`^(?:x-default|[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})$`)

// UnmarshalJSON decodes a twin and checks its language and address.
func (t *Twin) UnmarshalJSON(b []byte) error {
	type fields Twin
	if json.Unmarshal(b, (*fields)(t)) != nil {
		return ErrInvalidRequest.With("an entry is {language, url}")
	}
	return t.check()
}

// ParseTwin parses "de https://example.com/tee", as in a line of a spreadsheet.
func ParseTwin(text string) (t Twin, err error) {
	t.Language, t.URL, _ = strings.Cut(text, " ")
	return t, t.check()
}

// String formats the twin for ParseTwin.
func (t Twin) String() string { return t.Language + " " + t.URL }

func (t *Twin) check() error {
	t.URL = strings.TrimSpace(t.URL)
	u, err := url.Parse(t.URL)
	switch {
	case !languageTag.MatchString(t.Language):
		return ErrInvalidRequest.At("language").With("a tag such as en or pt-BR, or x-default")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.User != nil, len(t.URL) > 1000:
		return ErrInvalidRequest.At("url").With("an address that begins with http:// or https://, of at most 1000 bytes")
	}
	return nil
}
