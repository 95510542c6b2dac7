package redirect

import (
	"cmp"
	"slices"

	"vitrine/compile/movein/header"
	"vitrine/compile/redirect"
	"vitrine/compile/redirect/foreign"
)

// Formats are the formats of an import.
var Formats = []string{"csv", "netlify", "nginx", "htaccess"}

type format string

// Values lists the formats.
func (format) Values() []string { return Formats }

// ImportedLine is the outcome of a line of a file. A line that cannot be expressed as rules has the
// translator's reason, and no from and to.
type ImportedLine struct {
	ImportRow
	Text    string          `json:"text,omitempty" doc:"of a line of another system, verbatim"`
	Detail  string          `json:"detail,omitempty"`
	Warning foreign.Warning `json:"warning,omitempty" doc:"how the rule differs from its line"`
}

// Translation is the lines of a file in one of the Formats, and the translator's notes on them.
type Translation struct {
	Lines []redirect.Row
	rows  []foreign.Row // empty for CSV
	of    []int         // for each of Lines the index of its row; empty for CSV
}

// Translate reads a file in one of the Formats; hosts are those of the shop, targets on which
// become paths.
func Translate(text, format string, hosts []string, external bool) (t Translation, err error) {
	if format == "csv" {
		if err := header.Foreign(text, readable); err != nil {
			return t, err
		}
		t.Lines = redirect.ParseFile(text, external)
		return t, nil
	}
	system := foreign.Format(format)
	if format == "htaccess" {
		system = foreign.Apache
	}
	t.rows, err = foreign.Parse(system, text, foreign.Site{Hosts: hosts})
	seen := map[string]bool{}
	t.Lines = []redirect.Row{}
	for i, row := range t.rows {
		for _, rule := range row.Rules {
			line := redirect.Row{Line: row.Line, From: rule.From, To: rule.To, Rule: rule}
			switch key := rule.DuplicateKey(); {
			case rule.External && !external:
				line.Reason = redirect.ExternalNotAllowed
			case seen[key]:
				line.Reason = redirect.DuplicateInFile
			default:
				seen[key] = true
			}
			t.Lines, t.of = append(t.Lines, line), append(t.of, i)
		}
	}
	return t, err
}

// Beside merges the notes of the translator into the rows of an import, and adds the lines that it
// refused.
func (t Translation) Beside(rows []ImportRow) (lines []ImportedLine, refused int) {
	lines = []ImportedLine{}
	for _, row := range t.rows {
		if len(row.Rules) == 0 {
			refused++
			lines = append(lines, ImportedLine{
				ImportRow: ImportRow{Line: row.Line, Status: redirect.StatusError, Reason: redirect.Reason(row.Reason)},
				Text:      row.Text, Detail: row.Detail,
			})
		}
	}
	for i, row := range rows {
		line := ImportedLine{ImportRow: row}
		if len(t.of) > 0 {
			from := t.rows[t.of[i]]
			line.Text, line.Detail, line.Warning = from.Text, from.Detail, from.Warning
		}
		lines = append(lines, line)
	}
	slices.SortStableFunc(lines, func(a, b ImportedLine) int { return cmp.Compare(a.Line, b.Line) })
	return lines, refused
}
