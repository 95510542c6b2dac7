package foreign

import (
	"strconv"
	"strings"

	"vitrine/compile/redirect"
)

// netlify parses a _redirects file: from, query pairs, to, a status with "!" for force,
// conditions.
func (r *report) netlify(text string) {
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		fields := netlifyFields(line)
		if len(fields) > 0 {
			r.netlifyLine(n, line, fields)
		}
	}
}

// netlifyFields splits a line into words, up to a comment.
func netlifyFields(line string) []string {
	fields := strings.Fields(line)
	for i, f := range fields {
		if strings.HasPrefix(f, "#") {
			return fields[:i]
		}
	}
	return fields
}

func (r *report) netlifyLine(n int, line string, fields []string) {
	from, to := fields[0], -1
	for i := 1; i < len(fields) && to < 0; i++ {
		if strings.HasPrefix(fields[i], "/") || strings.Contains(fields[i], "://") {
			to = i
		}
	}
	if to < 0 {
		r.refuse(n, line, Malformed, "a line is a source, a target and perhaps a status")
		return
	}
	if host, path, absolute := splitOrigin(from); absolute {
		if !r.site.owns(host) {
			r.refuse(n, line, OtherHost, host+" is no host of the shop")
			return
		}
		from = path
	}
	if !strings.HasPrefix(from, "/") {
		r.refuse(n, line, Malformed, "a source begins with /")
		return
	}
	rule := redirect.Rule{Code: 301}
	for _, pair := range fields[1:to] {
		if rule.QueryMatch != "" || strings.Contains(pair, "=:") {
			r.refuse(n, line, Condition, "a rule has one fixed pair of the query at most")
			return
		}
		rule.QueryMatch = pair
	}
	if len(fields) > to+1 {
		status, force := strings.CutSuffix(fields[to+1], "!")
		code, ok := codes[status]
		switch {
		case strings.Contains(fields[to+1], "="):
			r.refuse(n, line, Condition, "depends on "+fields[to+1])
			return
		case !ok:
			r.refuse(n, line, NotRedirect, "status "+fields[to+1])
			return
		case len(fields) > to+2:
			r.refuse(n, line, Condition, "depends on "+fields[to+2])
			return
		}
		rule.Code, rule.OverrideLive = code, force
	}
	m := netlifySource(from)
	rule.From, rule.Kind = m.from, m.kind()
	rule.To = m.target(fields[to])
	if m.prefix(&rule) {
		rule.Kind = redirect.Prefix
	}
	r.add(n, line, "", rule)
}

// mask is a source with named stars.
type mask struct {
	from  string
	stars []string // by number, from 1
	tail  bool     // the last star is **
}

// netlifySource converts :name to a star of one segment and * at the end to **.
func netlifySource(from string) mask {
	var m mask
	segments := strings.Split(strings.Trim(from, "/"), "/")
	for i, s := range segments {
		switch {
		case s == "*" && i == len(segments)-1:
			m.from += "/**"
			m.stars, m.tail = append(m.stars, ":splat"), true
		case len(s) > 1 && s[0] == ':':
			m.from += "/*"
			m.stars = append(m.stars, s)
		default:
			m.from += "/" + strings.NewReplacer("*", "%2A", "#", "%23").Replace(s)
		}
	}
	return m
}

func (m mask) kind() redirect.Kind {
	if len(m.stars) == 0 {
		return redirect.Exact
	}
	return redirect.Pattern
}

// target replaces the names by star references, the longest name first.
func (m mask) target(to string) string {
	to = escapeDollar(to)
	var b strings.Builder
	for i := 0; i < len(to); {
		star, length := 0, 0
		for k, name := range m.stars {
			if strings.HasPrefix(to[i:], name) && len(name) > length {
				star, length = k+1, len(name)
			}
		}
		if star > 0 {
			b.WriteString("$" + strconv.Itoa(star))
			i += length
			continue
		}
		b.WriteByte(to[i])
		i++
	}
	return b.String()
}

// prefix converts a mask with just a tail that also ends its target to the equivalent prefix: the
// number of masks is limited more strictly than that of prefixes.
func (m mask) prefix(rule *redirect.Rule) bool {
	to, ok := strings.CutSuffix(rule.To, "/$1")
	if !m.tail || len(m.stars) != 1 || !ok || strings.ContainsAny(to, "?#") || strings.Contains(to, "$1") {
		return false
	}
	if to == "" {
		to = "/"
	}
	rule.From, rule.To = strings.TrimSuffix(rule.From, "**")+"*", to
	return true
}
