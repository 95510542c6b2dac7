package redirect

import (
	"slices"
	"strings"
)

// columns is the number of columns of an import line. The last one, the note, extends to the end
// of the line.
const columns = 8

// separators in the order of preference (document 3, 4.4).
var separators = [...]string{"\t", "->", "→", ";", ","}

// splitLine splits a line into its two to eight cells. The separator is the first of tab, arrow,
// ";" and "," that occurs outside quotes with a target after it, so that a comma or an arrow in
// an address does no harm; if there is none, the first that occurs outside quotes.
func splitLine(line string) (cells []string, ok bool) {
	for _, sep := range present(line) {
		split, whole := splitBy(line, sep)
		if !whole || len(split) < 2 {
			continue
		}
		if strings.HasPrefix(split[1], "/") || originLength(split[1]) > 0 {
			return split, true
		}
		if cells == nil {
			cells = split
		}
	}
	return cells, cells != nil
}

// present returns the separators that occur outside quotes. A quote opens only at the beginning
// of a cell: 5" is not a quote.
func present(line string) []string {
	var found [len(separators)]bool
	opens := true
	for i := 0; i < len(line); {
		if opens && line[i] == '"' {
			_, n, ok := unquote(line[i:])
			if !ok {
				break
			}
			i, opens = i+n, false
			continue
		}
		k := slices.IndexFunc(separators[:], func(sep string) bool { return strings.HasPrefix(line[i:], sep) })
		if k >= 0 {
			found[k], opens = true, true
			i += len(separators[k])
			continue
		}
		opens = opens && line[i] == ' '
		i++
	}
	var out []string
	for k, sep := range separators {
		if found[k] {
			out = append(out, sep)
		}
	}
	return out
}

// splitBy splits a line at one separator. It returns false when a quoted cell does not end at a
// separator.
func splitBy(line, sep string) (cells []string, ok bool) {
	for len(cells) < columns-1 {
		var cell string
		var more bool
		cell, line, more, ok = cutCell(line, sep)
		if !ok {
			return nil, false
		}
		cells = append(cells, cell)
		if !more {
			return cells, true
		}
	}
	note := strings.TrimSpace(line)
	if text, n, quoted := unquote(note); quoted && n == len(note) {
		note = text
	}
	return append(cells, note), true
}

func cutCell(line, sep string) (cell, after string, more, ok bool) {
	line = strings.TrimLeft(line, " ")
	if !strings.HasPrefix(line, `"`) {
		cell, after, more = strings.Cut(line, sep)
		return strings.TrimSpace(cell), after, more, true
	}
	cell, n, ok := unquote(line)
	if !ok {
		return "", "", false, false
	}
	blank, after, more := strings.Cut(line[n:], sep)
	return cell, after, more, strings.TrimSpace(blank) == ""
}

// unquote reads the quoted text at the beginning of s, where a doubled quote is a literal one. n
// is the length of the text read.
func unquote(s string) (text string, n int, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", 0, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '"' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 == len(s) || s[i+1] != '"' {
			return b.String(), i + 1, true
		}
		b.WriteByte('"')
		i++
	}
	return "", 0, false
}
