package feed

import (
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"text/template/parse"
	"unicode/utf8"
)

// Template is the body of a site file, checked and made into a program. It
// never changes and may be rendered by several callers at once.
type Template struct {
	body    string
	format  Format
	lines   lines
	comma   byte // the separator of a CSV file
	root    *block
	slots   int
	texts   int // constant texts, numbered for the escaper's memory
	program map[string]*program
}

// mainName is the name of the body itself among its templates. It ends up in no
// message, and no author calls a template so by chance.
const mainName = "body of the file"

// Compile checks a body as saving does (document 3, 4.3): size, UTF-8, syntax,
// unknown functions and templates, a template that calls itself by whatever
// way. The name of the file, with its extension, decides the format. When there
// are problems the template is nil.
func Compile(name, body string) (*Template, []Problem) {
	if len(body) > MaxBody {
		return nil, []Problem{{Message: "the body is longer than 65,536 bytes", Code: CodeTooLarge}}
	}
	if !utf8.ValidString(body) {
		return nil, []Problem{{Message: "the body is not UTF-8", Code: CodeNotUTF8}}
	}
	trees, err := parse.Parse(mainName, body, "", "", known)
	if err != nil {
		return nil, []Problem{*located(err)}
	}
	t := &Template{body: body, format: FormatOf(name, body), lines: linesOf(body)}
	if problem := checkGraph(trees, t.lines); problem != nil {
		return nil, []Problem{*problem}
	}
	if problem := t.assemble(trees); problem != nil {
		return nil, []Problem{*problem}
	}
	return t, nil
}

// Format is what the file is written in.
func (t *Template) Format() Format { return t.format }

// Static tells a body without actions, which is served as it is.
func (t *Template) Static() bool { return !strings.Contains(t.body, "{{") }

var position = regexp.MustCompile(`(?s)^template: ` + mainName + `:(\d+)(?::\d+)?: (.*)`)

// located takes the line out of an error of the parser.
func located(err error) *Problem {
	if m := position.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1])
		return invalid(line, "%s", m[2])
	}
	return invalid(0, "%v", err)
}

// Render writes the file to w. A problem means that what was written is not to
// be served; Result.Broken means that the render ended and its output is no
// whole document.
func (t *Template) Render(w io.Writer, c *Catalogue, o Options) (result Result, problem *Problem) {
	r := t.start(w, c, o)
	defer func() {
		switch stop := recover().(type) {
		case nil:
		case stopped:
			problem = stop.problem
		default: // one tenant's template must not end the process of all
			problem = invalid(r.line, "the template cannot be rendered")
			problem.Cause, problem.Err = InProgram, fmt.Errorf("feed: panic: %v\n%s", stop, debug.Stack())
		}
		result = r.finish(t)
	}()
	r.begin()
	t.root.run(r)
	r.end(t)
	return
}

func (t *Template) start(w io.Writer, c *Catalogue, o Options) *run {
	o = o.bounded()
	r := &run{
		catalogue:  c,
		options:    o,
		w:          w,
		out:        make([]byte, 0, chunk+chunk/4),
		high:       min(chunk, o.Bytes),
		due:        min(tickSteps, o.Steps),
		selections: map[string]selection{},
		seen:       make([]uint64, (len(c.contents.Items)+63)/64),
		line:       1,
	}
	r.esc = t.escaper(&flaw{line: &r.line})
	r.dot = value{kind: kindRoot, ref: &c.contents.Shop}
	if o.About != nil {
		r.dot = value{kind: kindRecord, ref: o.About}
	}
	r.vars = make([]value, t.slots, t.slots+16)
	r.vars[0] = r.dot
	return r
}

// begin asks Stop once, so that a render whose time is over does not start.
func (r *run) begin() {
	r.ask(1)
	if r.options.Trace {
		r.trace = &trace{}
	}
}

// end closes the document; what is still open there is a flaw of the last line.
func (r *run) end(t *Template) {
	r.at(len(t.lines))
	r.out = r.esc.end(r.out)
	if r.position() > int64(r.options.Bytes) {
		r.spill()
	}
	r.flush()
}

func (r *run) finish(t *Template) Result {
	out := r.result
	out.Products = r.catalogue.Len()
	out.Bytes, out.Steps = r.sent, r.steps
	out.trace = r.trace
	if why := r.esc.broken(); why.why != "" {
		out.Broken = invalid(why.where, "%s", why.why)
	}
	return out
}
