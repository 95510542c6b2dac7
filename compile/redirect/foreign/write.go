package foreign

import (
	"strconv"
	"strings"

	"vitrine/compile/redirect"
)

// rules converts an expression and its target to rules. prefixed is what precedes the expression:
// "/" in an .htaccess, nothing in nginx.
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

// rule converts a branch to a source and fills its groups into the target.
func (b branch) rule(prefixed, to string, base redirect.Rule) (redirect.Rule, Warning, bool) {
	atoms, warning := b.atoms, b.warning
	free := len(atoms) > 0 && atoms[0].kind == rest
	if !b.start && !free {
		return base, "", false // it may match anywhere in the path
	}
	lead := ""
	if prefixed == "" && free { // the leading rest also matches the first slash
		prefixed, lead = "/", "/"
	}
	if !b.end && (len(atoms) == 0 || atoms[len(atoms)-1].kind != rest) {
		atoms = append(atoms[:len(atoms):len(atoms)], atom{kind: rest})
	}
	w := writer{from: prefixed, targets: make([]string, len(atoms)), warning: warning}
	for i, a := range atoms {
		if !w.write(i, a, i == len(atoms)-1) {
			return base, "", false
		}
	}
	if !strings.HasPrefix(w.from, "/") {
		return base, "", false
	}
	if free {
		w.targets[0] = lead + w.targets[0]
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
		return strings.Join(w.targets[span[0]:span[1]], "")
	})
	m := mask{from: w.from, stars: make([]string, w.stars), tail: w.tail}
	if w.stars == 0 {
		rule.Kind = redirect.Exact
	} else if m.prefix(&rule) {
		rule.Kind = redirect.Prefix
	}
	return rule, w.warning, true
}

// writer builds a source atom by atom.
type writer struct {
	from    string
	targets []string // each atom as written in a target
	stars   int
	starred bool // the current segment has a star
	tail    bool
	warning Warning
}

func (w *writer) write(i int, a atom, last bool) bool {
	if a.kind == text {
		w.from += a.text
		w.targets[i] = a.text
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
		w.targets[i] = star
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
	w.targets[i] = star
	return true
}

// fillGroups replaces $1 and ${1} in a target by their groups; other dollars are kept.
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
