package movein

import (
	"bufio"
	"encoding/json"
	"io"
	"net/url"
	"strings"

	"vitrine/compile/movein/header"
	"vitrine/compile/redirect"
	"vitrine/compile/redirect/foreign"
)

// maxRules bounds the rules of all files.
const maxRules = 100_000

// rule is a line of a file of redirects as its system writes it.
type rule struct {
	from, to   string
	code       string
	expression bool
	disabled   bool
	note       string
}

// ruleColumns are the columns of tables of redirects, by system.
var ruleColumns = map[string]func(r *rule, cell string){
	"redirect from": func(r *rule, cell string) { r.from = cell },
	"redirect to":   func(r *rule, cell string) { r.to = cell },
	"source":        func(r *rule, cell string) { r.from = cell },
	"target":        func(r *rule, cell string) { r.to = cell },
	"regex":         func(r *rule, cell string) { r.expression = isYes(cell) },
	"code":          func(r *rule, cell string) { r.code = cell },
	"status":        func(r *rule, cell string) { r.disabled = no(cell) },
	"title":         func(r *rule, cell string) { r.note = cell },
	"origin":        func(r *rule, cell string) { r.from = cell },
	"type":          func(r *rule, cell string) { r.typed(cell) },
	"format":        func(r *rule, cell string) { r.expression = strings.EqualFold(cell, "regex") },
}

// typed reads Yoast's type, a status code; Redirection's is a kind of condition.
func (r *rule) typed(cell string) {
	if isNumber(cell) && r.code == "" {
		r.code = cell
	}
}

// ruleTable reads a table of redirects.
func (e *engine) ruleTable(name string, t table) error {
	set := make([]func(*rule, string), len(t.names))
	for i, one := range t.names {
		set[i] = ruleColumns[header.Normal(one)]
	}
	return e.each(name, t, func(at Place, record []string) {
		var r rule
		for i, cell := range record {
			if i < len(set) && set[i] != nil {
				set[i](&r, code(unguard(strings.Clone(cell))))
			}
		}
		e.rule(at, r)
	})
}

// redirection reads the JSON export of the plugin.
func (e *engine) redirection(name string, r io.Reader) error {
	return e.elements(name, r, map[string]func(*json.Decoder) error{
		"redirects": func(d *json.Decoder) error {
			var one struct {
				URL     string          `json:"url"`
				Data    json.RawMessage `json:"action_data"`
				Code    loose           `json:"action_code"`
				Action  string          `json:"action_type"`
				Match   string          `json:"match_type"`
				Regex   loose           `json:"regex"`
				Enabled loose           `json:"enabled"`
				Title   string          `json:"title"`
			}
			if err := d.Decode(&one); err != nil {
				return err
			}
			var to struct {
				URL string `json:"url"`
			}
			if json.Unmarshal(one.Data, &to.URL) != nil {
				_ = json.Unmarshal(one.Data, &to) // conditions have other fields: no target
			}
			e.rule(Place{File: name}, rule{from: one.URL, to: to.URL, code: string(one.Code), expression: isYes(string(one.Regex)), disabled: no(string(one.Enabled)), note: one.Title})
			return nil
		},
	})
}

// ghostRules reads Ghost's redirects as JSON.
func (e *engine) ghostRules(name string, r io.Reader) error {
	return e.elements(name, r, map[string]func(*json.Decoder) error{
		"": func(d *json.Decoder) error {
			var one struct {
				From, To  string
				Permanent loose
			}
			if err := d.Decode(&one); err != nil {
				return err
			}
			e.rule(Place{File: name}, ghostRule(one.From, one.To, map[bool]string{true: "301", false: "302"}[isYes(string(one.Permanent))]))
			return nil
		},
	})
}

// ghostRule is a rule of Ghost: its source is always an expression, if only in form.
func ghostRule(from, to, code string) rule {
	return rule{from: from, to: to, code: code, expression: !strings.HasPrefix(from, "/") || strings.ContainsAny(from, `^$()[]*+\|`)}
}

// ghostLines reads Ghost's redirects as YAML: a status code, and below it from: to.
func (e *engine) ghostLines(name string, r io.Reader) error {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	status := ""
	for n := 1; s.Scan(); n++ {
		text := s.Text()
		if text = strings.TrimPrefix(text, "\ufeff"); strings.TrimSpace(text) == "" || strings.HasPrefix(strings.TrimSpace(text), "#") {
			continue
		}
		if text[0] != ' ' && text[0] != '\t' {
			status = strings.Trim(text, ": ")
			continue
		}
		from, to, ok := yamlPair(text)
		if !ok {
			e.lose(Place{name, n}, Skipped, "REDIRECT_INVALID", text)
			continue
		}
		e.rule(Place{name, n}, ghostRule(from, to, status))
	}
	return s.Err()
}

// yamlPair splits from: to, whose parts may be quoted.
func yamlPair(text string) (from, to string, ok bool) {
	text = strings.TrimSpace(text)
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		end := strings.IndexByte(text[1:], text[0])
		if end < 0 {
			return "", "", false
		}
		from, text = text[1:end+1], text[end+2:]
		to, ok = strings.CutPrefix(strings.TrimSpace(text), ":")
	} else {
		from, to, ok = strings.Cut(text, ": ")
	}
	return strings.TrimSpace(from), strings.Trim(strings.TrimSpace(to), `"'`), ok
}

// rule adds a line of a file as a rule, or several.
func (e *engine) rule(at Place, r rule) {
	if r.from == "" && r.to == "" {
		return
	}
	made := redirect.Rule{Code: 301, Note: r.note, To: e.target(r.to)}
	switch r.code {
	case "", "301", "308":
	case "302", "303", "307":
		made.Code = 302
	default: // 410 and 451 answer without a target
		e.lose(at, Skipped, "REDIRECT_NO_TARGET", r.code+" "+r.from)
		return
	}
	if r.to == "" {
		e.lose(at, Skipped, "REDIRECT_NO_TARGET", r.from)
		return
	}
	made.External = strings.Contains(made.To, "://")
	rules := []redirect.Rule{made}
	if r.expression {
		expression := r.from
		if rest, anchored := strings.CutPrefix(expression, "^"); anchored && rest != "" && (isLetter(rest[0]) || isDigit(rune(rest[0]))) {
			expression = "^/" + rest // Yoast leaves the first slash out
		}
		row := foreign.ParseExpression(expression, made.To, made)
		if row.Reason != "" {
			e.lose(at, Skipped, "REDIRECT_EXPRESSION", r.from)
			return
		}
		if rules = row.Rules; row.Warning != "" {
			e.lose(at, Changed, "REDIRECT_EXPRESSION_CHANGED", r.from+": "+string(row.Warning))
		}
	} else {
		path, query, _ := strings.Cut(e.target(r.from), "?")
		if !strings.Contains(path, "://") {
			path = "/" + strings.TrimLeft(path, "/")
		}
		path, _, _ = strings.Cut(path, "#")
		rules[0].From, rules[0].QueryMatch = strings.ReplaceAll(path, "*", "%2A"), query
		rules[0].OverrideLive = path == "/"
	}
	for _, one := range rules {
		done, err := redirect.Normalize(one)
		switch {
		case err != nil:
			e.lose(at, Skipped, "REDIRECT_INVALID", r.from+" "+r.to+": "+err.Error())
		case len(e.plan.Redirects) >= maxRules:
			e.lose(at, Skipped, "REDIRECTS_TOO_MANY", r.from)
		case e.keys["rule "+done.DuplicateKey()]:
			e.lose(at, Skipped, "REDIRECT_DUPLICATE", r.from)
		default:
			e.keys["rule "+done.DuplicateKey()] = true
			done.Enabled = !r.disabled
			e.plan.Redirects = append(e.plan.Redirects, Redirect{done, at})
		}
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// target makes an address on the old shop a path.
func (e *engine) target(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	site, err := url.Parse(e.site("Redirects have full addresses."))
	if err != nil || !strings.EqualFold(site.Host, u.Host) {
		return address
	}
	u.Scheme, u.Host, u.User = "", "", nil
	return u.String()
}
