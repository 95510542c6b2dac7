package cells

import (
	"regexp"
	"strings"
)

// formula matches cells that a spreadsheet would evaluate as a formula, and those that an
// apostrophe already guards. Some programs drop leading blanks and treat full-width signs like
// the ASCII ones.
var formula = regexp.MustCompile(`^'*[=+\-@\t\r\n ＝＋－＠]`)

// Guard puts an apostrophe before a formula, so that a spreadsheet shows the cell as text
// (OWASP, CSV injection). Unguard removes it.
func Guard(cell string) string {
	if formula.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

// Unguard undoes Guard.
func Unguard(cell string) string {
	if strings.HasPrefix(cell, "'") && formula.MatchString(cell) {
		return cell[1:]
	}
	return cell
}
