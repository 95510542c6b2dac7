package compose

import (
	"strings"
	"testing"

	"vitrine/internal/store/catalog"
)

func TestMistypedWordsAreCorrected(t *testing.T) {
	similar := []catalog.Product{{Name: "Teapot porcelain 12"}, {Name: "Чайник фарфоровый"}}
	for query, want := range map[string]string{
		"porcelian": "porcelain", "teapto porcelian": "teapot porcelain", "teapot": "", "фарфоровй чайник": "фарфоровый чайник",
		"xqzzy": "", "": "", "🍵🍵🍵🍵": "", "Teepot!": "teapot", strings.Repeat("x", 5000): "",
	} {
		if got := correctedQuery(query, similar); got != want {
			t.Errorf("%.30s: %q, want %q", query, got, want)
		}
	}
	if n := distance("abcd", "abdc", 9); n != 1 {
		t.Errorf("swapped neighbours: distance %d, want 1", n)
	}
}
