package feed

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// printf formats verb by verb, so that the size is checked before a width, a precision
// or a repeated argument can exceed it. A format that does not fit its arguments is
// an error; package fmt would write "%!d(MISSING)" into the feed.
func printf(r *run, line int, args []value) value {
	if args[0].kind != kindText {
		r.fail(line, "printf needs its format as a text, not %s", args[0].kind)
	}
	p := printer{r: r, line: line, format: args[0].s, args: args[1:]}
	for i := range p.args {
		if !p.args[i].printable() || p.args[i].kind == kindList {
			r.fail(line, "printf accepts texts, numbers and booleans, not %s", p.args[i].kind)
		}
	}
	p.run()
	return text(string(p.out))
}

type printer struct {
	r      *run
	line   int
	format string
	args   []value
	next   int // argument of the next verb
	out    []byte
	jumped bool // an index was given, so unused arguments are intended
}

func (p *printer) run() {
	for {
		i := strings.IndexByte(p.format, '%')
		if i < 0 {
			i = len(p.format)
		}
		p.reserve(i)
		p.out = append(p.out, p.format[:i]...)
		if p.format = p.format[i:]; p.format == "" {
			break
		}
		p.format = p.format[1:]
		p.verb()
	}
	if !p.jumped && p.next < len(p.args) {
		p.fail("%d arguments are given, %d used", len(p.args), p.next)
	}
}

func (p *printer) fail(format string, args ...any) {
	p.r.fail(p.line, "printf: "+format, args...)
}

// reserve checks the size before n bytes are appended.
func (p *printer) reserve(n int) {
	if len(p.out)+n > MaxValue {
		tooLong(p.r, p.line)
	}
	p.r.build(p.line, n)
}

// verb formats one verb.
func (p *printer) verb() {
	flags := len(p.format) - len(strings.TrimLeft(p.format, "+-# 0"))
	spec := "%" + p.format[:flags]
	p.format = p.format[flags:]
	width, given := p.measure()
	if given {
		if width < 0 {
			spec, width = spec+"-", -width
		}
		spec += strconv.Itoa(width)
	}
	if strings.HasPrefix(p.format, ".") {
		p.format = p.format[1:]
		precision, given := p.measure()
		if precision < 0 {
			p.fail("a precision is negative")
		}
		if spec += "."; given {
			spec += strconv.Itoa(precision)
		}
	}
	p.index()
	verb, size := utf8.DecodeRuneInString(p.format)
	if size == 0 {
		p.fail("the format ends within a verb")
	}
	p.format = p.format[size:]
	if verb == '%' {
		p.reserve(1)
		p.out = append(p.out, '%')
		return
	}
	p.one(spec, verb, p.argument())
}

func (p *printer) one(spec string, verb rune, arg value) {
	if !strings.ContainsRune(verbs[arg.kind], verb) {
		p.fail("%%%c does not print %s", verb, arg.kind)
	}
	if arg.kind == kindText && !strings.Contains(spec, ".") {
		p.reserve(len(arg.s))
	}
	p.out = fmt.Appendf(p.out, spec+string(verb), arg.native())
	p.reserve(0)
}

// verbs holds the verbs that fit each kind.
var verbs = map[kind]string{
	kindNone: "v", kindBool: "tv", kindText: "sqvxX",
	kindInt: "dvbcoOqxXU", kindByte: "dvbcoOqxXU", kindFloat: "vbeEfFgGxX",
}

// measure reads a width or precision: a number, or * for an argument.
func (p *printer) measure() (n int, given bool) {
	digits := len(p.format) - len(strings.TrimLeft(p.format, "0123456789"))
	if digits > 0 {
		n, err := strconv.Atoi(p.format[:digits])
		if err != nil || n > MaxWidth {
			p.fail("a width or precision is above %d", MaxWidth)
		}
		p.format = p.format[digits:]
		return n, true
	}
	p.index() // of the star, or of the verb
	if !strings.HasPrefix(p.format, "*") {
		return 0, false
	}
	p.format = p.format[1:]
	arg := p.argument()
	if arg.kind != kindInt && arg.kind != kindByte {
		p.fail("* needs a number, not %s", arg.kind)
	}
	if arg.n > MaxWidth || arg.n < -MaxWidth {
		p.fail("a width or precision is above %d", MaxWidth)
	}
	return int(arg.n), true
}

// index reads [n], the number of the next argument.
func (p *printer) index() {
	if !strings.HasPrefix(p.format, "[") {
		return
	}
	inside, rest, ok := strings.Cut(p.format[1:], "]")
	n, err := strconv.Atoi(inside)
	if !ok || err != nil || n < 1 || n > len(p.args) {
		p.fail("[%s is not an index of an argument", strings.TrimSuffix(inside, "["))
	}
	p.format, p.next, p.jumped = rest, n-1, true
}

func (p *printer) argument() value {
	if p.next >= len(p.args) {
		p.fail("a verb has no argument")
	}
	v := p.args[p.next]
	p.next++
	return v
}
