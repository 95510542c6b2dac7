package movein_test

import (
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// encode writes a text in an encoding.
func encode(t *testing.T, name, text string) string {
	t.Helper()
	e, err := htmlindex.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
