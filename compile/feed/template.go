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

// Template is a compiled body of a site file. It is immutable, and several callers
// may render it concurrently.
type Template struct {
	body    string
	format  Format
	lines   lines
	comma   byte // the separator of a CSV file
	root    *block
	slots   int
	texts   int // number of constant texts
	defined map[string]*definition
}

// mainName is the name of the body itself among its templates. It appears in no
// message, and authors are unlikely to use it.
const mainName = "body of the file"

// Compile checks a body as saving does (document 3, 4.3): size, UTF-8, syntax,
// unknown functions and templates, and templates that can reach themselves. The
// extension of the file's name decides the format. When there are problems the
// template is nil.
func Compile(name, body string) (*Template, []Problem) {
	if len(body) > MaxBody {
		return nil, []Problem{{Message: "the body is longer than 65,536 bytes", Code: CodeTooLarge}}
	}
	if !utf8.ValidString(body) {
		return nil, []Problem{{Message: "the body is not UTF-8", Code: CodeNotUTF8}}
	}
	trees, err := parse.Parse(mainName, body, "", "", functionNames)
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

// Format returns the syntax of the file.
func (t *Template) Format() Format { return t.format }

// Static reports whether the body has no actions, so that it is served as it is.
func (t *Template) Static() bool { return !strings.Contains(t.body, "{{") }

var position = regexp.MustCompile(`(?s)^template: ` + mainName + `:(\d+)(?::\d+)?: (.*)`)

// located turns an error of the parser into a problem with its line.
func located(err error) *Problem {
	if m := position.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1])
		return invalid(line, "%s", m[2])
	}
	return invalid(0, "%v", err)
}

// Render writes the file to w. A problem means that the render stopped and the
// output must not be served. Result.Broken means that the render finished but the
// output is not well-formed.
func (t *Template) Render(w io.Writer, c *Catalogue, o Options) (result Result, problem *Problem) {
	r := t.start(w, c, o)
	defer func() {
		switch stop := recover().(type) {
		case nil:
		case stopped:
			problem = stop.problem
		default: // a template of one tenant must not end the process for all tenants
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
		spillAt:    min(chunk, o.Bytes),
		nextTick:   min(tickSteps, o.Steps),
		selections: map[string]selection{},
		seen:       make([]uint64, (len(c.contents.Items)+63)/64),
		line:       1,
	}
	r.esc = t.escaper(&firstFlaw{line: &r.line})
	r.dot = value{kind: kindRoot, ref: &c.contents.Shop}
	if o.About != nil {
		r.dot = value{kind: kindRecord, ref: o.About}
	}
	r.vars = make([]value, t.slots, t.slots+16)
	r.vars[0] = r.dot
	return r
}

// begin calls Stop once, so that a render after its deadline does not start.
func (r *run) begin() {
	r.checkStop(1)
	if r.options.Trace {
		r.trace = &trace{}
	}
}

// end ends the document. What is still open is a flaw of the last line.
func (r *run) end(t *Template) {
	r.setLine(len(t.lines))
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
	if flaw := r.esc.broken(); flaw.message != "" {
		out.Broken = invalid(flaw.line, "%s", flaw.message)
	}
	return out
}
