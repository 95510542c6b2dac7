package foreign

import (
	"strings"

	"vitrine/compile/redirect"
)

// htaccess is the context that earlier lines of an .htaccess set for a line.
type htaccess struct {
	*report
	base       string // of RewriteBase, with surrounding slashes
	conditions []condition
}

// condition is a RewriteCond.
type condition struct{ test, pattern, flags string }

// apache parses an .htaccess: Redirect, RedirectMatch, RewriteRule and the conditions before it.
func (r *report) apache(text string) {
	h := &htaccess{report: r, base: "/"}
	n, first, line := 0, 0, ""
	for part := range strings.SplitSeq(text, "\n") {
		n++
		if line == "" {
			first = n
		}
		line += part
		if cut, more := strings.CutSuffix(line, `\`); more {
			line = cut
			continue
		}
		h.line(first, line)
		line = ""
	}
	h.line(first, line)
}

func (h *htaccess) line(n int, line string) {
	f := apacheFields(line)
	if len(f) == 0 || strings.HasPrefix(f[0], "#") {
		return
	}
	switch name, args := strings.ToLower(f[0]), f[1:]; name {
	case "redirect", "redirectpermanent", "redirecttemp", "redirectmatch":
		h.redirect(n, line, name, args)
	case "rewritebase":
		if len(args) == 1 {
			h.base = "/" + strings.Trim(args[0], "/") + "/"
			h.base = strings.ReplaceAll(h.base, "//", "/")
		}
	case "rewritecond":
		if len(args) < 2 {
			h.refuse(n, line, Malformed, "RewriteCond has a test and a pattern")
			return
		}
		h.conditions = append(h.conditions, condition{args[0], args[1], flagsOf(args, 2)})
	case "rewriterule":
		h.rewrite(n, line, args)
		h.conditions = nil
	case "rewritemap":
		h.refuse(n, line, Expression, "a map of another file")
	}
}

// apacheFields splits a line into words, which may be quoted.
func apacheFields(line string) (fields []string) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] == '"' {
			if i := strings.IndexByte(line[1:], '"'); i >= 0 {
				fields, line = append(fields, line[1:i+1]), line[i+2:]
				continue
			}
		}
		i := strings.IndexAny(line, " \t")
		if i < 0 {
			i = len(line)
		}
		fields, line = append(fields, line[:i]), line[i:]
	}
	return fields
}

func flagsOf(args []string, at int) string {
	if len(args) <= at {
		return ""
	}
	return strings.ToUpper(strings.Trim(args[at], "[]"))
}

// redirect parses the directives of mod_alias. Redirect appends the path below its source to the
// target.
func (h *htaccess) redirect(n int, line, name string, args []string) {
	code := map[string]int{"redirectpermanent": 301}[name]
	if code == 0 {
		code = 302
	}
	if len(args) > 0 {
		status := strings.ToLower(args[0])
		named := map[string]string{"permanent": "301", "temp": "302", "seeother": "303", "gone": "410"}[status]
		if named != "" {
			status = named
		}
		if len(status) == 3 && digit(status[0]) {
			if code = codes[status]; code == 0 {
				h.refuse(n, line, NotRedirect, "status "+status)
				return
			}
			args = args[1:]
		}
	}
	if len(args) != 2 {
		h.refuse(n, line, Malformed, "a source and a target")
		return
	}
	rule := redirect.Rule{Code: code, OverrideLive: true, To: args[1]}
	if name == "redirectmatch" {
		h.expression(n, line, args[0], "", args[1], rule)
		return
	}
	rule.From, rule.Kind = escapeStar(strings.TrimSuffix(args[0], "/"))+"/*", redirect.Prefix
	h.add(n, line, "", rule)
}

// rewrite parses a RewriteRule and applies the conditions before it.
func (h *htaccess) rewrite(n int, line string, args []string) {
	if len(args) < 2 {
		h.refuse(n, line, Malformed, "RewriteRule has an expression and a target")
		return
	}
	pattern, to := args[0], args[1]
	rule := redirect.Rule{OverrideLive: true}
	carries := false
	absolute := strings.Contains(to, "://")
	if absolute {
		rule.Code = 302
	}
	for flag := range strings.SplitSeq(flagsOf(args, 2), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(flag), "=")
		switch name {
		case "R", "REDIRECT":
			if value == "" || value == "TEMP" {
				value = "302"
			} else if value == "PERMANENT" {
				value = "301"
			}
			if rule.Code = codes[value]; rule.Code == 0 {
				h.refuse(n, line, NotRedirect, "status "+value)
				return
			}
		case "QSA", "QSAPPEND":
			carries = true
		case "QSD", "QSDISCARD":
			rule.DropQuery = true
		case "", "L", "LAST", "NC", "NOCASE", "NE", "NOESCAPE", "END", "DPI":
		case "G", "GONE", "F", "FORBIDDEN":
			h.refuse(n, line, NotRedirect, "answers without a target")
			return
		default:
			h.refuse(n, line, NotRedirect, "flag "+flag)
			return
		}
	}
	if rule.Code == 0 || to == "-" {
		if to != "-" && !strings.HasSuffix(to, ".php") && !strings.Contains(to, "index.php") {
			h.refuse(n, line, NotRedirect, "a rewrite within the server")
		}
		return
	}
	if path, query, has := strings.Cut(to, "?"); has {
		rule.DropQuery = rule.DropQuery || !carries
		if query == "" {
			to = path
		}
	}
	if !absolute && !strings.HasPrefix(to, "/") {
		to = h.base + to
	}
	to = strings.NewReplacer("https://%{HTTP_HOST}", "", "http://%{HTTP_HOST}", "", "https://%{SERVER_NAME}", "", "http://%{SERVER_NAME}", "").
		Replace(to)
	h.conditional(n, line, pattern, to, rule)
}

// conditional applies the conditions before a RewriteRule and adds the rule.
func (h *htaccess) conditional(n int, line, pattern, to string, rule redirect.Rule) {
	prefixed := h.base
	for _, c := range h.conditions {
		test := strings.ToUpper(c.test)
		switch {
		case test == "%{REQUEST_FILENAME}" && (c.pattern == "!-f" || c.pattern == "!-d" || c.pattern == "!-l"):
			rule.OverrideLive = false
		case test == "%{QUERY_STRING}" && rule.QueryMatch == "" && pairOf(c.pattern) != "" && !strings.Contains(c.flags, "OR"):
			rule.QueryMatch = pairOf(c.pattern)
		case test == "%{QUERY_STRING}" && c.pattern == "^$":
			// matches only without a query; our plain rules already come after those with a condition
		case test == "%{HTTP_HOST}" && h.ownHost(c.pattern):
		case test == "%{REQUEST_URI}" && anything(pattern) && !strings.Contains(c.flags, "OR"):
			pattern, prefixed, to = c.pattern, "", strings.ReplaceAll(to, "%", "$")
		default:
			h.refuse(n, line, Condition, c.test+" "+c.pattern)
			return
		}
	}
	if strings.HasPrefix(pattern, "!") {
		h.refuse(n, line, Expression, "an expression that must not match")
		return
	}
	if strings.HasPrefix(pattern, "^/") && prefixed != "" {
		prefixed = strings.TrimSuffix(prefixed, "/")
	}
	if strings.Contains(to, "%{") || hasBackReference(to) {
		h.refuse(n, line, Condition, "the target has parts of a condition")
		return
	}
	h.expression(n, line, pattern, prefixed, to, rule)
}

// hasBackReference reports whether a target has %1 to %9 that is not an escape.
func hasBackReference(to string) bool {
	for i := 0; i+1 < len(to); i++ {
		if to[i] == '%' && digit(to[i+1]) && (i+2 == len(to) || !hex(to[i+2])) {
			return true
		}
	}
	return false
}

func hex(c byte) bool { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// anything reports whether an expression matches every path.
func anything(pattern string) bool {
	switch pattern {
	case ".*", "^.*$", "(.*)", "^(.*)$", "^", "^.*", ".?", "^(.*)":
		return true
	}
	return false
}

// pairOf returns the pair that an expression for the query requires, or "" if it is not exactly
// one pair.
func pairOf(pattern string) string {
	for _, ends := range [...][2]string{{"^", "$"}, {"(^|&)", "(&|$)"}, {"(?:^|&)", "(?:&|$)"}, {"^", "(&|$)"}, {`\b`, `\b`}, {"(^|&)", "($|&)"}} {
		pair, ok1 := strings.CutPrefix(pattern, ends[0])
		pair, ok2 := strings.CutSuffix(pair, ends[1])
		pair = strings.ReplaceAll(pair, `\.`, ".")
		pair = strings.ReplaceAll(pair, `\-`, "-")
		name, value, ok3 := strings.Cut(pair, "=")
		if ok1 && ok2 && ok3 && name != "" && value != "" && !strings.ContainsAny(pair, `\+*?()|[]{}^$&`) {
			return pair
		}
	}
	return ""
}

// ownHost reports whether an expression for the host matches only hosts of the shop.
func (h *htaccess) ownHost(pattern string) bool {
	found, ok := branches(strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$"))
	if !ok || len(found) == 0 {
		return false
	}
	for _, b := range found {
		name := ""
		for _, a := range b.atoms {
			if a.kind != text {
				return false
			}
			name += a.text
		}
		if !h.site.owns(name) {
			return false
		}
	}
	return true
}
