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
		r.fail(line, "nothing cannot be indexed")
	}
	for _, arg := range args[1:] {
		n, ok := v.length()
		if !ok {
			r.fail(line, "%s cannot be indexed", v.kind)
		}
		i := place(r, line, arg, n)
		if i == n {
			r.fail(line, "index out of range: %d", i)
		}
		v = v.at(i)
	}
	return v
}

// place is an index between 0 and most.
func place(r *run, line int, v value, most int) int {
	if v.kind != kindInt && v.kind != kindByte {
		r.fail(line, "%s is no index", v.kind)
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
		r.fail(line, "slice takes a text or list and two places")
	}
	from, to := 0, n
	if len(args) > 1 {
		from = place(r, line, args[1], n)
	}
	if len(args) > 2 {
		to = place(r, line, args[2], n)
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
		v.ref = selection{s.of, s.places[from:to]}
	}
	return v
}

// joined is a function that makes one text of its arguments. What it makes is
// bounded before it is made: no way from n bytes leads to more than 6n here.
func joined(build func([]any) string) func(*run, int, []value) value {
	return func(r *run, line int, args []value) value {
		size := 0
		natives := make([]any, len(args))
		for i := range args {
			if !args[i].plain() {
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

// size is how many bytes of text a value brings along.
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
func escapeHTML(args []any) string  { return template.HTMLEscapeString(shown(args)) }
func escapeJS(args []any) string    { return template.JSEscapeString(shown(args)) }
func escapeQuery(args []any) string { return url.QueryEscape(shown(args)) }

// shown is what print makes of the arguments, but "<no value>" of nothing.
func shown(args []any) string {
	for i, arg := range args {
		if arg == nil {
			args[i] = "<no value>"
		}
	}
	return fmt.Sprint(args...)
}
