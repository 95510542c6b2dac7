package schematest

import "testing"

func TestAnOwnDocumentRefusesUnknownFields(t *testing.T) {
	t.Parallel()
	own := Own(t, []byte(`{"$defs":{"tea":{"type":"object","properties":{"name":{"type":"string"},"harvest":{"type":"object","properties":{"day":{"type":"string","format":"date"}}}}}}}`))
	for text, fits := range map[string]bool{
		`{"name":"Sencha","harvest":{"day":"2026-05-01"}}`: true,
		`{"name":1}`:                           false,
		`{"title":"Sencha"}`:                   false,
		`{"harvest":{"month":"May"}}`:          false,
		`{"harvest":{"day":"the 1st of May"}}`: false,
	} {
		if err := own.Validate("#/$defs/tea", []byte(text)); (err == nil) != fits {
			t.Errorf("%s: %v", text, err)
		}
	}
	if own.Validate("#/$defs/coffee", []byte(`{}`)) == nil {
		t.Error("a schema that does not exist accepts a text")
	}
}
