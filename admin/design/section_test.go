package design

import (
	"encoding/json"
	"testing"

	designdb "vitrine/internal/store/design"

	"vitrine/internal/shop"
)

func TestDocumentsInABlock(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sections string
		want     int
	}{
		{`[{"type":"text","payload":{"kind":"html","props":{"html":{"documentId":"7"}}}}]`, 1},
		{`[{"type":"text","payload":{"kind":"html","props":{"html":{"documentId":7}}}},{"type":"text"}]`, 1},
		{`[{"type":"text","payload":{"kind":"text","props":{"html":{"documentId":"7"}}}}]`, 0},
		{`[{"type":"text","payload":{"kind":"html","props":{"html":{"documentId":"x"}}}}]`, 0},
		{`[{"type":"text","payload":[]},{"type":"text","payload":{"kind":"html","props":{"html":{"documentId":"7"}}}}]`, 1},
	} {
		if got := documentsIn(designdb.Block{Sections: shop.Objects(c.sections)}); len(got) != c.want {
			t.Errorf("%s: %v", c.sections, got)
		}
	}
}

// FuzzSections checks that sections are either refused or stored as equivalent JSON.
func FuzzSections(f *testing.F) {
	for _, seed := range []string{
		`[]`, `null`, `[{"type":"text"}]`, `[{"type":"video","payload":{"v":2,"n":1e5,"t":"\ud800"}}]`, `[{"type":"text","payload":[[[[]]]]}]`, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return // the decoder of the request refuses it
		}
		stored, err := readSections(text)
		if err != nil {
			return
		}
		again, err := readSections(stored)
		if len(stored) <= maxBlock && (err != nil || string(again) != string(stored)) {
			t.Errorf("%s is stored as %s and then reads as %s: %v", text, stored, again, err)
		}
		documentsIn(designdb.Block{Sections: stored})
	})
}
