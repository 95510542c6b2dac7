package markup

import "strings"

// rewriteSrcset passes every address of a srcset through move and copies everything else. It
// parses candidates as the html standard does: a comma belongs to an address unless it ends it,
// and parentheses in descriptors hide commas.
func rewriteSrcset(srcset string, move func(address string) string) string {
	var b strings.Builder
	b.Grow(2 * len(srcset))
	for i := 0; i < len(srcset); {
		from := i
		for i < len(srcset) && (htmlSpace(srcset[i]) || srcset[i] == ',') {
			i++
		}
		b.WriteString(srcset[from:i])
		from = i
		for i < len(srcset) && !htmlSpace(srcset[i]) {
			i++
		}
		address := strings.TrimRight(srcset[from:i], ",")
		if address == "" {
			continue
		}
		b.WriteString(move(address))
		b.WriteString(srcset[from+len(address) : i])
		if from+len(address) < i {
			continue // the commas ended the candidate
		}
		from = i
		i = descriptorsEnd(srcset, i)
		b.WriteString(srcset[from:i])
	}
	return b.String()
}

// descriptorsEnd returns the index of the comma after the descriptors that begin at i, or the
// end.
func descriptorsEnd(s string, i int) int {
	parens := false
	for ; i < len(s); i++ {
		switch s[i] {
		case '(':
			parens = true
		case ')':
			parens = false
		case ',':
			if !parens {
				return i
			}
		}
	}
	return i
}

func htmlSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'
}
