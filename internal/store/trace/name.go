package trace

import (
	"slices"
	"strings"
)

// word is a word of a statement, or an opening parenthesis, and how many parentheses it is
// in.
type word struct {
	text  string
	depth int
}

// words splits a statement. Texts and comments are left out.
func words(sql string) (list []word) {
	depth := 0
	for i := 0; i < len(sql); {
		switch c := sql[i]; {
		case strings.HasPrefix(sql[i:], "--"):
			i += lengthTo(sql[i:], "\n")
		case strings.HasPrefix(sql[i:], "/*"):
			i += lengthTo(sql[i:], "*/")
		case c == '\'':
			i += 1 + lengthTo(sql[i+1:], "'")
		case c == '(':
			list = append(list, word{"(", depth})
			depth++
			i++
		case c == ')':
			depth--
			i++
		case ofWord(c):
			end := i
			for end < len(sql) && ofWord(sql[end]) {
				end++
			}
			list = append(list, word{strings.ToLower(strings.ReplaceAll(sql[i:end], `"`, "")), depth})
			i = end
		default:
			i++
		}
	}
	return list
}

// lengthTo is the length of a text up to and with its first end.
func lengthTo(s, end string) int {
	if at := strings.Index(s, end); at >= 0 {
		return at + len(end)
	}
	return len(s)
}

func ofWord(c byte) bool {
	return c == '_' || c == '.' || c == '"' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Name returns a short name of a statement: its verb and the table that it is mainly about,
// or the function that it calls, such as "insert product" or "select
// pg_advisory_xact_lock". It depends only on the text of the statement.
func Name(sql string) string {
	if strings.TrimSpace(sql) == "-- ping" {
		return "ping" // sent by the pool
	}
	list := words(sql)
	for len(list) > 0 && list[0].text == "(" { // of a UNION
		list = list[1:]
	}
	if len(list) > 0 && list[0].text == "with" {
		// The queries of WITH are in parentheses, its verb is not.
		main := slices.IndexFunc(list, func(w word) bool {
			return w.depth == 0 && slices.Contains([]string{"select", "insert", "update", "delete", "merge"}, w.text)
		})
		list = list[max(main, 0):]
	}
	if len(list) == 0 {
		return "empty"
	}
	verb, table := list[0].text, ""
	switch verb {
	case "select", "delete":
		table = after(list, "from")
	case "insert", "merge":
		table = after(list, "into")
	case "update", "copy":
		table = after(list, verb)
	}
	if verb == "select" && table == "" {
		table = called(list)
	}
	return strings.TrimSpace(verb + " " + strings.TrimPrefix(table, "public."))
}

// after returns the word after a keyword, preferably after one that is not within
// parentheses.
func after(list []word, keyword string) string {
	found := ""
	for i, w := range list {
		if w.text != keyword || i > 0 && list[i-1].text == "distinct" { // IS DISTINCT FROM
			continue
		}
		rest := list[i+1:]
		for len(rest) > 0 && slices.Contains([]string{"only", "lateral"}, rest[0].text) {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0].text == "(" || !startsName(rest[0].text) {
			continue // the table is that of the query in the parentheses
		}
		if w.depth == list[0].depth {
			return rest[0].text
		}
		if found == "" && rest[0].text != "where" { // SELECT FROM WHERE does not occur, EXISTS (SELECT FROM t WHERE …) does
			found = rest[0].text
		}
	}
	return found
}

func startsName(s string) bool { return s[0] == '_' || 'a' <= s[0] && s[0] <= 'z' }

// called returns the first function that a statement calls.
func called(list []word) string {
	for i, w := range list[1:] {
		if w.text == "(" && i > 0 && startsName(list[i].text) {
			return list[i].text
		}
	}
	return ""
}
