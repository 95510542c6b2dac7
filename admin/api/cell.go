package api

import (
	"regexp"
	"strings"
)

// formula is what a spreadsheet would run as one when it stands at the start of
// a cell, and what an apostrophe already guards. Some programs drop blanks in front,
// and read full-width signs as the narrow ones.
var formula = regexp.MustCompile(`^'*[=+\-@\t\r\n ＝＋－＠]`)

// GuardCell puts an apostrophe before a formula, so that a spreadsheet shows the
// cell of a CSV as text (OWASP, CSV injection); UnguardCell takes it away again.
func GuardCell(cell string) string {
	if formula.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// UnguardCell is what was guarded.
func UnguardCell(cell string) string {
	if strings.HasPrefix(cell, "'") && formula.MatchString(cell) {
		return cell[1:]
	}
	return cell
}
