package feed

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"text/template"
	"time"
	"unicode/utf8"
)

// Template is the body of a site file, checked and ready to render. It never
// changes and may be rendered by several callers at once.
type Template struct {
	name   string
	body   string
	format Format
	tree   *template.Template
}

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
	tree, err := template.New("file").Funcs(thin(NewCatalogue(Contents{}), Options{})).Parse(body)
	if err != nil {
		return nil, []Problem{*located(err)}
	}
	return &Template{name: name, body: body, format: FormatOf(name, body), tree: tree}, nil
}

// Format is what the file is written in.
func (t *Template) Format() Format { return t.format }

// Static tells a body without actions, which is served as it is.
func (t *Template) Static() bool { return !bytes.Contains([]byte(t.body), []byte("{{")) }

// Render writes the file to w. A problem means that what was written is not to
// be served; Result.Broken means that the render ended and its output is no
// whole document.
func (t *Template) Render(w io.Writer, c *Catalogue, o Options) (Result, *Problem) {
	o = o.bounded()
	tree, err := t.tree.Clone()
	if err != nil {
		return Result{}, invalid(0, "%v", err)
	}
	count := &counter{w: w}
	if err := tree.Funcs(thin(c, o)).Execute(count, struct{ Shop Shop }{c.Shop()}); err != nil {
		return Result{}, located(err)
	}
	return Result{Items: c.Len(), Products: c.Len(), Bytes: count.n}, nil
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return c.w.Write(p)
}

func thin(c *Catalogue, o Options) template.FuncMap {
	link := func(find func(int64) (string, bool), host string) func(int64) string {
		return func(id int64) string {
			if find == nil {
				return ""
			}
			path, ok := find(id)
			if !ok {
				return ""
			}
			return host + path
		}
	}
	return template.FuncMap{
		"products": func(...string) []Item {
			items := c.contents.Items
			if o.Limit > 0 {
				items = items[:min(o.Limit, len(items))]
			}
			return items
		},
		"categories":   func() []Category { return c.contents.Categories },
		"file_url":     link(c.contents.Links.File, c.contents.Shop.URL),
		"file_path":    link(c.contents.Links.File, ""),
		"category_url": link(c.contents.Links.Category, c.contents.Shop.URL),
		"product_url":  link(c.contents.Links.Product, c.contents.Shop.URL),
		"pictures":     func(p Item, _ ...any) []string { return p.Pictures },
		"now": func(layout ...string) string {
			if len(layout) == 0 {
				return o.Now.Format(time.RFC3339)
			}
			return o.Now.Format(layout[0])
		},
	}
}

var position = regexp.MustCompile(`^template: file:(\d+)(?::\d+)?: (.*)`)

func located(err error) *Problem {
	if m := position.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1])
		return invalid(line, "%s", m[2])
	}
	return invalid(0, "%v", err)
}
