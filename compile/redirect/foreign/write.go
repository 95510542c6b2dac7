package foreign

import (
	"strconv"
	"strings"

	"vitrine/compile/redirect"
)

// rules are the rules of an expression and its target. prefixed is what stands
// before the expression: "/" in an .htaccess, nothing in nginx. group writes
// the reference to a group as the target has it, "$1".
func rules(pattern, prefixed, to string, base redirect.Rule) (list []redirect.Rule, warning Warning, ok bool) {
	found, ok := branches(pattern)
	if !ok {
		return nil, "", false
	}
	seen := map[string]bool{}
	for _, b := range found {
		rule, w, ok := b.rule(prefixed, to, base)
		if !ok {
			return nil, "", false
		}
		if w != "" {
			warning = w
		}
		if !seen[rule.From] {
			seen[rule.From] = true
			list = append(list, rule)
		}
	}
	return list, warning, true
}

// rule writes a branch as a source and fills its groups into the target.
func (b branch) rule(prefixed, to string, base redirect.Rule) (redirect.Rule, Warning, bool) {
	atoms, warning := b.atoms, b.warning
	free := len(atoms) > 0 && atoms[0].kind == rest
	if !b.start && !free {
		return base, "", false // it may stand anywhere in the path
	}
	lead := ""
	if prefixed == "" && free { // it takes the first slash, too
		prefixed, lead = "/", "/"
	}
	if !b.end && (len(atoms) == 0 || atoms[len(atoms)-1].kind != rest) {
		atoms = append(atoms[:len(atoms):len(atoms)], atom{kind: rest})
	}
	w := writer{from: prefixed, said: make([]string, len(atoms)), warning: warning}
	for i, a := range atoms {
		if !w.write(i, a, i == len(atoms)-1) {
			return base, "", false
		}
	}
	if !strings.HasPrefix(w.from, "/") {
		return base, "", false
	}
	if free {
		w.said[0] = lead + w.said[0]
	}
	if trimmed := strings.TrimRight(w.from, "/"); trimmed != "" {
		w.from = trimmed
	}
	rule := base
	rule.From, rule.Kind = w.from, redirect.Pattern
	rule.To = fillGroups(to, func(group int) string {
		span := b.groups[group]
		if group == 0 {
			span = [2]int{0, len(b.atoms)}
		}
		return strings.Join(w.said[span[0]:span[1]], "")
	})
	m := mask{from: w.from, stars: make([]string, w.stars), tail: w.tail}
	if w.stars == 0 {
		rule.Kind = redirect.Exact
	} else if m.prefix(&rule) {
		rule.Kind = redirect.Prefix
	}
	return rule, w.warning, true
}

// writer writes a source atom by atom.
type writer struct {
	from    string
	said    []string // what each atom is in a target
	stars   int
	starred bool // the segment at hand has a star
	tail    bool
	warning Warning
}

func (w *writer) write(i int, a atom, last bool) bool {
	if a.kind == text {
		w.from += a.text
		w.said[i] = a.text
		if cut := strings.LastIndexByte(a.text, '/'); cut >= 0 {
			w.starred = false
		}
		return true
	}
	w.stars++
	star := "$" + strconv.Itoa(w.stars)
	if a.kind == rest && last {
		w.tail = true
		switch {
		case strings.HasSuffix(w.from, "/"):
			w.from += "**"
		default: // /old and everything below, but not /older
			w.from, star, w.warning = w.from+"/**", "/"+star, Narrower
		}
		w.said[i] = star
		return true
	}
	if w.starred || w.stars > 9 {
		return false
	}
	if a.kind == rest {
		w.warning = Narrower
	}
	w.starred = true
	w.from += "*"
	w.said[i] = star
	return true
}

// fillGroups writes $1, ${1} and %1 of a target as what the groups are; other
// dollars stay what they are.
func fillGroups(to string, group func(int) string) string {
	var b strings.Builder
	for i := 0; i < len(to); i++ {
		rest := to[i:]
		switch {
		case len(rest) > 1 && rest[0] == '$' && digit(rest[1]):
			b.WriteString(group(int(rest[1] - '0')))
			i++
		case len(rest) > 3 && rest[:2] == "${" && digit(rest[2]) && rest[3] == '}':
			b.WriteString(group(int(rest[2] - '0')))
			i += 3
		default:
			b.WriteByte(to[i])
		}
	}
	return strings.ReplaceAll(b.String(), "//$", "/$")
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
