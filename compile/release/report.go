package release

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Finding is one remark about a release.
type Finding struct {
	Code   string `json:"code"`
	Path   string `json:"path"`   // the file that it is about
	Line   int    `json:"line"`   // 1-based; 0 when it is about the file as a whole
	Detail string `json:"detail"` // for people
}

// Report is the findings of one release by level (CONTRACT, "Html documents").
// The zero value is the report of a release without fault; its lists print as
// empty arrays, never as null.
type Report struct {
	Errors   []Finding `json:"errors"`
	Warnings []Finding `json:"warnings"`
	Info     []Finding `json:"info"`
}

// Add files findings under the levels of their codes. What was found is told
// with how to mend it.
func (r *Report) Add(findings ...Finding) {
	for _, f := range findings {
		code := infoOf(f.Code)
		f.Detail = strings.TrimPrefix(f.Detail+". "+code.Hint, ". ")
		switch code.Level {
		case LevelError:
			r.Errors = append(r.Errors, f)
		case LevelInfo:
			r.Info = append(r.Info, f)
		default:
			r.Warnings = append(r.Warnings, f)
		}
	}
}

// Merge appends what another look found, in its order. What both found, such as a
// service worker in a linked script, is told once.
func (r *Report) Merge(other Report) {
	r.Errors = merged(r.Errors, other.Errors)
	r.Warnings = merged(r.Warnings, other.Warnings)
	r.Info = merged(r.Info, other.Info)
}

func merged(list, more []Finding) []Finding {
	type place struct {
		code, path string
		line       int
	}
	known := map[place]bool{}
	for _, f := range list {
		known[place{f.Code, f.Path, f.Line}] = true
	}
	for _, f := range more {
		if !known[place{f.Code, f.Path, f.Line}] {
			list = append(list, f)
		}
	}
	return list
}

// OK reports whether the release may be published.
func (r Report) OK() bool { return len(r.Errors) == 0 }

// Refusal is nil when the release may be published, else ErrInvalid with the
// first error in its detail and the whole report in the field report.
func (r Report) Refusal() error {
	if r.OK() {
		return nil
	}
	detail := r.Errors[0].String()
	if more := len(r.Errors) - 1; more > 0 {
		detail += " and " + strconv.Itoa(more) + " more"
	}
	return ErrInvalid.With(detail).WithField("report", r)
}

// String is "ref.missing css/a.css:12".
func (f Finding) String() string {
	text := f.Code + " " + f.Path
	if f.Line > 0 {
		text += ":" + strconv.Itoa(f.Line)
	}
	return text
}

// MarshalJSON prints {errors[], warnings[], info[]}.
func (r Report) MarshalJSON() ([]byte, error) {
	full := func(list []Finding) []Finding {
		if list == nil {
			return []Finding{}
		}
		return list
	}
	type plain Report
	return json.Marshal(plain{full(r.Errors), full(r.Warnings), full(r.Info)})
}
