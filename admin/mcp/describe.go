package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
)

// maxDescription is how many bytes the description of a call has at most.
const maxDescription = 6 << 10

type describeArguments struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Part   string `json:"part"`
}

// description is the result of describe_call.
type description struct {
	Method     string       `json:"method"`
	Path       string       `json:"path"`
	Summary    string       `json:"summary"`
	Scopes     []shop.Scope `json:"scopes,omitempty"`
	Refused    string       `json:"refused,omitempty"` // why the caller may not make the call
	Contour    string       `json:"contour,omitempty"`
	Undo       string       `json:"undo,omitempty"`
	Parameters []string     `json:"parameters,omitempty"`
	Part       string       `json:"part,omitempty"` // of the body that is shown
	Body       any          `json:"body,omitempty"` // an object with a type in place of each value
	Example    *example     `json:"example,omitempty"`
	Refusals   []string     `json:"refusals,omitempty"`
	Note       string       `json:"note,omitempty"`
}

type example struct {
	Body   any `json:"body,omitempty"`
	Answer any `json:"answer,omitempty"`
}

var errNoCall = shop.ErrNotFound.At("path").With("the API has no such call; find_calls lists them")

func (m *MCP) describeCall(ctx context.Context, c *api.Call, in describeArguments) (any, error) {
	if err := c.Take(ctx, api.Read); err != nil {
		return nil, err
	}
	if len(in.Path) > maxPath || len(in.Part) > maxPath {
		return nil, shop.ErrInvalidRequest.With("path and part have at most 2000 bytes")
	}
	row := m.row(in.Method, in.Path)
	if row == nil {
		return nil, errNoCall
	}
	o, err := m.outline(row)
	if err != nil {
		return nil, err
	}
	d := description{
		Method: row.Method, Path: row.Path, Summary: row.Summary, Scopes: row.Scopes, Undo: row.Undo, Contour: contourOf(row), Part: in.Part,
	}
	if err := row.Admit(c.Identity); err != nil {
		d.Refused = why(err)
	}
	if takesBytes(row) {
		d.Note = "The body is a file, which MCP cannot send: use an HTTP client with the same key."
	}
	body := o.body()
	if in.Part != "" {
		if body = o.at(in.Part); body == nil {
			return nil, shop.ErrInvalidRequest.At("part").With("the body has no such field")
		}
	}
	return d.within(maxDescription, o, row, body)
}

// row returns the row of a path that may contain the names of its parameters or values.
func (m *MCP) row(method, path string) *api.Endpoint {
	i := slices.IndexFunc(m.Table, func(e api.Endpoint) bool { return e.Method == method && e.Path == path })
	if i >= 0 {
		return &m.Table[i]
	}
	target, err := targetOf(path, nil)
	if err != nil {
		return nil
	}
	return m.Find(method, target)
}

func contourOf(row *api.Endpoint) string {
	switch {
	case row.Method == "GET", row.Computes, row.Auth == api.Link:
		return ""
	case row.Contour == api.CallersContour:
		return "A draft key changes the draft, a production key the live shop at once."
	case row.Contour == api.RefusesDraft:
		return "It has no draft: only production keys may call it, and it takes effect at once."
	}
	return "It has no draft: it takes effect at once."
}

// detail is how much a description shows of a call.
type detail struct {
	depth          int  // levels of the body
	meaning        bool // what fields and refusals mean
	answer, sample bool // examples of the response and of the body
	text           int  // characters of a text in an example
}

// details go from everything to the least. The least is names and types of one level.
var details = []detail{
	{8, true, true, true, 300},
	{8, true, true, true, 80},
	{8, true, false, true, 80},
	{8, false, false, true, 80},
	{3, true, false, true, 80},
	{3, false, false, true, 60},
	{2, false, false, true, 40},
	{2, false, false, false, 40},
	{1, false, false, false, 0},
}

// within fills a description with as much detail as fits.
func (d description) within(size int, o outline, row *api.Endpoint, body *node) (any, error) {
	request, answer := o.example(row)
	var text json.RawMessage
	for _, level := range details {
		d.Parameters, d.Refusals, d.Example = o.parameters(level.meaning), refusals(row, level.meaning), nil
		if d.Part != "" {
			d.Parameters, d.Refusals = nil, nil
		}
		if body != nil {
			d.Body = o.brief(body, level.depth, level.meaning, d.Part)
		}
		var shown example
		if level.sample && d.Part == "" {
			shown.Body = sample(request, level.text)
		}
		if level.answer && d.Part == "" {
			shown.Answer = sample(answer, level.text)
		}
		if shown != (example{}) {
			d.Example = &shown
		}
		var err error
		if text, err = api.EncodeJSON(d); err != nil {
			return nil, err
		}
		if len(text) <= size {
			return text, nil
		}
	}
	return nil, shop.ErrInternal.With("the description of this call is too long")
}

// usual are refusals that every call may return; they are explained in the quickstart.
var usual = api.Refuses(
	shop.ErrInternal, shop.ErrUnavailable, shop.ErrRateLimited, api.ErrUnauthenticated, api.ErrCrossOrigin, api.ErrNoCompany, shop.ErrInvalidRequest,
	shop.ErrBodyTooLarge, api.ErrScopeMissing, api.ErrRole, api.ErrShopHidden, api.ErrKeyInvalid, api.ErrSecretGone,
)

func refusals(row *api.Endpoint, meaning bool) (list []string) {
	for _, r := range row.Refusals() {
		if usual.Has(r.Code, r.Status()) {
			continue
		}
		line := r.Code + " " + strconv.Itoa(r.Status())
		if meaning {
			line += ": " + r.Meaning
		}
		list = append(list, line)
	}
	return list
}

// sample shortens a recorded value: long texts, and lists to two entries.
func sample(recorded json.RawMessage, most int) any {
	var value any
	if recorded == nil || json.Unmarshal(recorded, &value) != nil {
		return nil
	}
	return shortened(value, most)
}

func shortened(value any, most int) any {
	switch v := value.(type) {
	case string:
		if utf8.RuneCountInString(v) > most {
			return string([]rune(v)[:most]) + "…"
		}
	case []any:
		if len(v) > 2 {
			v = v[:2]
		}
		list := make([]any, len(v))
		for i := range v {
			list[i] = shortened(v[i], most)
		}
		return list
	case map[string]any:
		fields := map[string]any{}
		for name, field := range v {
			fields[name] = shortened(field, most)
		}
		return fields
	}
	return value
}
