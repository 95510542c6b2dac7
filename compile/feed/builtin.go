package feed

import (
	"fmt"
	"net/url"
	"text/template"
)

func length(r *run, line int, args []value) value {
	n, ok := args[0].length()
	if !ok {
		r.fail(line, "%s has no length", args[0].kind)
	}
	return number(int64(n))
}

func index(r *run, line int, args []value) value {
	v := args[0]
	if v.kind == kindNone {
		r.fail(line, "a missing value cannot be indexed")
	}
	for _, arg := range args[1:] {
		n, ok := v.length()
		if !ok {
			r.fail(line, "%s cannot be indexed", v.kind)
		}
		i := indexArg(r, line, arg, n)
		if i == n {
			r.fail(line, "index out of range: %d", i)
		}
		v = v.at(i)
	}
	return v
}

// indexArg reads an argument that is an index between 0 and most.
func indexArg(r *run, line int, v value, most int) int {
	if v.kind != kindInt && v.kind != kindByte {
		r.fail(line, "%s is not an index", v.kind)
	}
	if v.n < 0 || v.n > int64(most) {
		r.fail(line, "index out of range: %d", v.n)
	}
	return int(v.n)
}

func slice(r *run, line int, args []value) value {
	v := args[0]
	n, ok := v.length()
	if !ok || v.kind == kindCategories || v.kind == kindRecords || v.kind == kindOffers || len(args) > 3 {
		r.fail(line, "slice takes a text or list and at most two indexes")
	}
	from, to := 0, n
	if len(args) > 1 {
		from = indexArg(r, line, args[1], n)
	}
	if len(args) > 2 {
		to = indexArg(r, line, args[2], n)
	}
	if from > to {
		r.fail(line, "slice from %d to %d", from, to)
	}
	switch v.kind {
	case kindText:
		v.s = v.s[from:to]
	case kindList:
		v.ref = v.ref.(list)[from:to]
	case kindItems:
		s := v.ref.(selection)
		v.ref = selection{s.of, s.indexes[from:to]}
	}
	return v
}

// joined returns a function that builds one text of its arguments. Their size is
// bounded beforehand: none of these functions makes more than 6n bytes of n bytes.
func joined(build func([]any) string) func(*run, int, []value) value {
	return func(r *run, line int, args []value) value {
		size := 0
		natives := make([]any, len(args))
		for i := range args {
			if !args[i].printable() {
				r.fail(line, "%s cannot be made into text", args[i].kind)
			}
			size += args[i].size()
			natives[i] = args[i].native()
		}
		if size > MaxValue {
			tooLong(r, line)
		}
		r.build(line, size)
		s := build(natives)
		if len(s) > MaxValue {
			tooLong(r, line)
		}
		return text(s)
	}
}

func tooLong(r *run, line int) { r.fail(line, "a value is longer than %d bytes", MaxValue) }

// size returns the number of bytes of text that a value holds.
func (v *value) size() int {
	if v.kind != kindList {
		return len(v.s)
	}
	n := 0
	for _, s := range v.ref.(list) {
		n += len(s) + 1
	}
	return n
}

func sprint(args []any) string      { return fmt.Sprint(args...) }
func sprintln(args []any) string    { return fmt.Sprintln(args...) }
func escapeHTML(args []any) string  { return template.HTMLEscapeString(joinedArgs(args)) }
func escapeJS(args []any) string    { return template.JSEscapeString(joinedArgs(args)) }
func escapeQuery(args []any) string { return url.QueryEscape(joinedArgs(args)) }

// joinedArgs formats arguments as print does, but a missing value as "<no value>".
func joinedArgs(args []any) string {
	for i, arg := range args {
		if arg == nil {
			args[i] = "<no value>"
		}
	}
	return fmt.Sprint(args...)
}
