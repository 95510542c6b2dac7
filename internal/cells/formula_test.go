package cells_test

import (
	"testing"

	"vitrine/internal/cells"
)

// Cells that a spreadsheet may evaluate as a formula get an apostrophe, also with leading
// blanks and full-width signs.
func TestFormulasAreGuarded(t *testing.T) {
	for _, cell := range []string{"=1+2", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1+2", "＋1", "－1", "＠SUM", "'=1", "''＝1"} {
		if got := cells.Guard(cell); got != "'"+cell || cells.Unguard(got) != cell {
			t.Errorf("%q is written %q, and read %q", cell, got, cells.Unguard(got))
		}
	}
	for _, cell := range []string{"", "tea", "1=1", "'tea'", "a = b"} {
		if got := cells.Guard(cell); got != cell {
			t.Errorf("%q is written %q", cell, got)
		}
	}
}
