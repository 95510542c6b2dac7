package foreign

import (
	"strings"

	"vitrine/compile/redirect"
)

// nginx parses server blocks, locations, rewrites and maps. Redirects that nginx sends before it
// looks for a file become rules over live pages.
func (r *report) nginx(text string) {
	l := &lexer{text: text, line: 1}
	list := l.directives(0)
	sent := map[string]int{}
	sentMaps(list, sent)
	r.nginxBlock(list, place{}, sent)
}

// place is the context of a directive.
type place struct {
	modifier, path string // of the location, "" outside
	condition      string // a query pair that an if requires
	expression     string // a path expression that an if requires
	unsupported    string // a condition that no rule can express
}

// sentMaps records the code with which the variables set by maps are sent.
func sentMaps(list []directive, sent map[string]int) {
	for _, d := range list {
		switch {
		case len(d.words) == 3 && d.words[0] == "return" && codes[d.words[1]] != 0:
			sent[d.words[2]] = codes[d.words[1]]
		case len(d.words) == 4 && d.words[0] == "rewrite" && d.words[3] == "redirect":
			sent[d.words[2]] = 302
		}
		sentMaps(d.block, sent)
	}
}

func (r *report) nginxBlock(list []directive, at place, sent map[string]int) {
	for _, d := range list {
		switch d.words[0] {
		case "location":
			r.nginxBlock(d.block, location(at, d.words[1:]), sent)
		case "if":
			r.nginxBlock(d.block, r.nginxIf(at, strings.Trim(d.text()[len("if"):], " ()")), sent)
		case "map":
			r.nginxMap(d, sent)
		case "return":
			r.nginxReturn(d, at)
		case "rewrite":
			r.nginxRewrite(d, at)
		default:
			r.nginxBlock(d.block, at, sent)
		}
	}
}

func location(at place, words []string) place {
	switch len(words) {
	case 1:
		at.path = words[0]
		for _, m := range [...]string{"~*", "^~", "=", "~"} { // written without a blank
			if path, ok := strings.CutPrefix(words[0], m); ok {
				at.modifier, at.path = m, path
				break
			}
		}
	case 2:
		at.modifier, at.path = words[0], words[1]
	default:
		at.unsupported = "location " + strings.Join(words, " ")
	}
	return at
}

// nginxIf parses the condition of an if block.
func (r *report) nginxIf(at place, condition string) place {
	f := strings.Fields(condition)
	if len(f) == 3 {
		value := strings.Trim(f[2], `"'`)
		name, isArg := strings.CutPrefix(f[0], "$arg_")
		switch {
		case isArg && f[1] == "=" && at.condition == "":
			at.condition = name + "=" + value
			return at
		case (f[0] == "$uri" || f[0] == "$request_uri") && (f[1] == "~" || f[1] == "~*") && at.expression == "":
			at.expression = value
			return at
		case f[0] == "$host" && f[1] == "=" && r.site.owns(value):
			return at
		}
	}
	at.unsupported = "if (" + condition + ")"
	return at
}

// nginxReturn parses "return 301 target" and "return target".
func (r *report) nginxReturn(d directive, at place) {
	code, to := "302", ""
	switch {
	case len(d.words) == 3:
		code, to = d.words[1], d.words[2]
	case len(d.words) == 2 && strings.Contains(d.words[1], "://"):
		to = d.words[1]
	default:
		return // a response without a target
	}
	stored, ok := codes[code]
	switch {
	case !ok:
		return
	case strings.HasPrefix(to, "$") && !strings.Contains(to, "/"):
		return // sends the value of a map
	case at.unsupported != "":
		r.refuse(d.line, d.text(), Condition, at.unsupported)
		return
	}
	rule := redirect.Rule{Code: stored, OverrideLive: true, QueryMatch: at.condition}
	to, rule.DropQuery = nginxArgs(to)
	r.nginxRule(d, at, rule, to)
}

// nginxArgs strips the visitor's query from a target; without it nginx drops the query.
func nginxArgs(to string) (target string, drop bool) {
	for _, args := range [...]string{"$is_args$args", "$is_args$query_string", "?$args", "?$query_string"} {
		if cut, ok := strings.CutSuffix(to, args); ok {
			return cut, false
		}
	}
	return to, !strings.Contains(to, "$request_uri")
}

// nginxRule converts a return in its context.
func (r *report) nginxRule(d directive, at place, rule redirect.Rule, to string) {
	to = nginxHost(to)
	text := d.text()
	if at.path != "" {
		text = strings.TrimSpace("location "+at.modifier+" "+at.path) + " { " + text + " }"
	}
	pattern := at.expression
	switch {
	case pattern != "":
	case at.modifier == "~" || at.modifier == "~*":
		pattern = at.path
	case at.modifier == "=":
		rule.From, rule.Kind = escapePath(at.path), redirect.Exact
		if tail, ok := strings.CutSuffix(to, "$uri"); ok {
			to = tail + at.path
		}
		if strings.Contains(to, "$") {
			r.refuse(d.line, text, Expression, "the target has variables")
			return
		}
		rule.To = to
		r.add(d.line, text, "", rule)
		return
	default:
		pattern = "^" + quoteMeta(strings.TrimSuffix(at.path, "/")) + "(.*)$"
	}
	whole := strings.Contains(to, "$uri")
	if whole { // the target contains the whole address
		if at.path != "" && at.path != "/" || at.expression != "" {
			r.refuse(d.line, text, Expression, "the target repeats the whole address")
			return
		}
		pattern, to = "^/(.*)$", strings.Replace(to, "$uri", "/$1", 1)
	}
	r.expression(d.line, text, pattern, "", to, rule)
}

// nginxHost resolves the address variables that are the same for every shop.
func nginxHost(to string) string {
	to = strings.NewReplacer("$request_uri", "$uri", "$scheme://$host", "", "$scheme://$http_host", "", "$scheme://$server_name", "", "$scheme", "https").
		Replace(to)
	if to == "" {
		return "/"
	}
	return to
}

// nginxRewrite parses "rewrite expression target flag".
func (r *report) nginxRewrite(d directive, at place) {
	if len(d.words) < 3 {
		r.refuse(d.line, d.text(), Malformed, "rewrite has an expression and a target")
		return
	}
	to, flag := d.words[2], ""
	if len(d.words) > 3 {
		flag = d.words[3]
	}
	rule := redirect.Rule{OverrideLive: true, QueryMatch: at.condition}
	switch {
	case flag == "permanent":
		rule.Code = 301
	case flag == "redirect" || strings.Contains(to, "://"):
		rule.Code = 302
	default:
		r.refuse(d.line, d.text(), NotRedirect, "a rewrite within the server")
		return
	}
	if at.unsupported != "" || at.expression != "" {
		r.refuse(d.line, d.text(), Condition, at.unsupported+at.expression)
		return
	}
	to, rule.DropQuery = strings.CutSuffix(to, "?")
	if cut, drop := nginxArgs(to); !drop {
		to, rule.DropQuery = cut, false
	}
	to = nginxHost(to)
	if strings.HasPrefix(to, "$uri") || strings.Contains(to, "$uri") {
		r.nginxRule(d, at, rule, to)
		return
	}
	r.expression(d.line, d.text(), d.words[1], "", to, rule)
}

// expression adds the rules of a regular expression.
func (r *report) expression(line int, text, pattern, prefixed, to string, rule redirect.Rule) {
	list, warning, ok := rules(pattern, prefixed, to, rule)
	switch {
	case !ok:
		r.refuse(line, text, Expression, "no mask is equivalent to "+pattern)
	case rule.QueryMatch != "" && list[0].Kind != redirect.Exact:
		r.refuse(line, text, Condition, "only an exact rule has a condition")
	default:
		r.add(line, text, warning, list...)
	}
}

// nginxMap parses a map of addresses.
func (r *report) nginxMap(d directive, sent map[string]int) {
	if len(d.words) != 3 {
		return
	}
	if key := d.words[1]; key != "$uri" && key != "$request_uri" {
		if sent[d.words[2]] != 0 {
			r.refuse(d.line, d.text(), Condition, "maps "+key)
		}
		return
	}
	code := sent[d.words[2]]
	if code == 0 {
		code = 301
	}
	for _, row := range d.block {
		key := row.words[0]
		if len(row.words) != 2 || key == "default" || row.words[1] == "" {
			if key == "include" {
				r.refuse(row.line, row.text(), Malformed, "the file that is included is not here")
			}
			continue
		}
		r.nginxMapRow(row, redirect.Rule{Code: code, OverrideLive: true})
	}
}

func (r *report) nginxMapRow(row directive, rule redirect.Rule) {
	key, to := row.words[0], nginxHost(row.words[1])
	if pattern, ok := strings.CutPrefix(key, "~"); ok {
		r.expression(row.line, row.text(), strings.TrimPrefix(pattern, "*"), "", to, rule)
		return
	}
	path, query, _ := strings.Cut(strings.TrimPrefix(key, `\`), "?")
	if strings.Contains(query, "&") || strings.Contains(to, "$") {
		r.refuse(row.line, row.text(), Condition, "more than one pair of the query")
		return
	}
	rule.From, rule.To, rule.Kind, rule.QueryMatch = escapeStar(path), to, redirect.Exact, query
	r.add(row.line, row.text(), "", rule)
}

// escapeStar escapes a path that already contains percent-escapes.
func escapeStar(path string) string {
	return strings.NewReplacer("*", "%2A", "#", "%23", " ", "%20").Replace(path)
}

// quoteMeta escapes special characters for an expression.
func quoteMeta(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if strings.IndexByte(`\.+*?()|[]{}^$`, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
