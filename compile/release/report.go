package release

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Finding is one remark about a release.
type Finding struct {
	Code   string `json:"code"`
	Path   string `json:"path"`   // the file in question
	Line   int    `json:"line"`   // 1-based; 0 for the file as a whole
	Detail string `json:"detail"` // for display
}

// Report holds the findings of one release by level (CONTRACT, "Html documents"). The zero value
// is the report of a release without findings; its lists are encoded as empty arrays, never as
// null.
type Report struct {
	Errors   []Finding `json:"errors"`
	Warnings []Finding `json:"warnings"`
	Info     []Finding `json:"info"`
}

// Add sorts findings by the level of their codes and appends each code's hint to the detail.
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

// Merge appends the findings of another check, in order. A finding of both checks, such as a
// service worker in a linked script, is kept once.
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

// Refusal returns nil when the release may be published, else ErrInvalid with the first error in
// its detail and the whole report in the field report.
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

// String formats a finding as "ref.missing css/a.css:12".
func (f Finding) String() string {
	text := f.Code + " " + f.Path
	if f.Line > 0 {
		text += ":" + strconv.Itoa(f.Line)
	}
	return text
}

// MarshalJSON encodes {errors[], warnings[], info[]}.
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
