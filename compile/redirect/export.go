package redirect

import (
	"bytes"
	"strconv"
	"strings"
)

// WriteCSV writes rules in the import format, the eight columns of document 3, 4.4, in the given
// order. Importing the result into the same set changes nothing. A disabled rule becomes a
// comment, since an import enables every rule it reads. Cells that a spreadsheet would run as a
// formula get a leading apostrophe, which the import removes.
func WriteCSV(rules []Rule) []byte {
	var b bytes.Buffer
	for _, r := range rules {
		if !r.Enabled {
			b.WriteString("# ")
		}
		params, always := "keep", ""
		if r.DropQuery {
			params = "drop"
		}
		if r.OverrideLive {
			always = "1"
		}
		cells := [columns]string{
			r.From, r.To, strconv.Itoa(r.Code), string(r.Kind), params, guard(r.QueryMatch), always, guard(oneLine(r.Note)),
		}
		for i, cell := range cells {
			if i > 0 {
				b.WriteByte(';')
			}
			b.WriteString(quote(cell))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// quote quotes a cell unless every CSV reader reads it unchanged without quotes.
func quote(cell string) string {
	if cell == "" || strings.TrimSpace(cell) == cell && !strings.ContainsAny(cell, "\"#;,\t'→") &&
		!strings.Contains(cell, "->") {
		return cell
	}
	return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
}

// guard prevents a spreadsheet from running a cell as a formula.
func guard(cell string) string {
	if startsFormula(cell) || strings.HasPrefix(cell, "'") && guarded(cell[1:]) {
		return "'" + cell
	}
	return cell
}

// unguard undoes guard.
func unguard(cell string) string {
	if strings.HasPrefix(cell, "'") && guarded(cell[1:]) {
		return cell[1:]
	}
	return cell
}

// guarded reports whether an apostrophe before the cell is a guard and not part of it.
func guarded(cell string) bool { return startsFormula(cell) || strings.HasPrefix(cell, "'") }

// startsFormula reports whether a spreadsheet would run the cell. Some spreadsheets ignore blanks
// before the sign.
func startsFormula(cell string) bool {
	cell = strings.TrimSpace(cell)
	return cell != "" && strings.ContainsRune("=+-@＝＋－＠|%", []rune(cell)[0])
}
