package api

import (
	"regexp"
	"strings"
)

// formula matches cells that a spreadsheet would evaluate as a formula, and those that an
// apostrophe already guards. Some programs drop leading blanks and treat full-width signs like
// the ASCII ones.
var formula = regexp.MustCompile(`^'*[=+\-@\t\r\n ＝＋－＠]`)

// GuardCell puts an apostrophe before a formula, so that a spreadsheet shows the cell of a CSV
// as text (OWASP, CSV injection). UnguardCell removes it.
func GuardCell(cell string) string {
	if formula.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// UnguardCell undoes GuardCell.
func UnguardCell(cell string) string {
	if strings.HasPrefix(cell, "'") && formula.MatchString(cell) {
		return cell[1:]
	}
	return cell
}
