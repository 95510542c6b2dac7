package widget

import (
	"encoding/json"
	"testing"
)

// TestALegacyHeadingIsReadFromItsSection: old editors wrote the fields on the section itself
// (document 3, 2.2), with a number or a name as the rank.
func TestALegacyHeadingIsReadFromItsSection(t *testing.T) {
	for text, want := range map[string]Heading{
		`{"text":"Tea","payload":{"kind":"heading"}}`:                    {"Tea", "h2", "left"},
		`{"title":"Tea","tag":"H4","align":"center"}`:                    {"Tea", "h4", "center"},
		`{"text":"Tea","level":1,"align":"up"}`:                          {"Tea", "h1", "left"},
		`{"text":"Tea","level":9,"tag":"script"}`:                        {"Tea", "h2", "left"},
		`{"payload":{"text":"In","props":{"text":"Deep","level":"h3"}}}`: {"In", "h3", "left"},
		`{"payload":{"props":{"title":"Deep","align":"right"}}}`:         {"Deep", "h2", "right"},
		`{"text":"  ","title":"Tea"}`:                                    {"Tea", "h2", "left"},
		`{"text":7,"title":["x"]}`:                                       {"", "h2", "left"}, `[]`: {"", "h2", "left"}, ``: {"", "h2", "left"}, `{"level":1e99}`: {"", "h2", "left"},
	} {
		if got := ReadHeading(json.RawMessage(text)); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func FuzzReadHeading(f *testing.F) {
	f.Add([]byte(`{"text":"Tea","level":3,"payload":{"props":{"tag":"h1"}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		h := ReadHeading(text)
		if len(h.Tag) != 2 || h.Tag[0] != 'h' || h.Tag[1] < '1' || h.Tag[1] > '6' {
			t.Errorf("the tag %q", h.Tag)
		}
	})
}
