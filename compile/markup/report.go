package markup

import (
	"cmp"
	"slices"
)

// Finding is one remark of the validator (document 3, section 7).
type Finding struct {
	Code   string `json:"code"`
	Path   string `json:"path"`   // of the file in the release
	Line   int    `json:"line"`   // 1-based; 0: the file as a whole
	Detail string `json:"detail"` // what is wrong and how to mend it
}

// Report is what publishing says about a release. Errors refuse it.
type Report struct {
	Errors   []Finding `json:"errors"`
	Warnings []Finding `json:"warnings"`
	Infos    []Finding `json:"info"`
}

// Codes of the findings that reading a document can raise. Package release
// raises those about files: file.forbidden, hash.mismatch, page.extra,
// file.unused, img.large.
const (
	RefOutside    = "ref.outside"
	RefMissing    = "ref.missing"
	RefHTTP       = "ref.http"
	SWRegister    = "sw.register"
	HTMLParse     = "html.parse"
	HeadStripped  = "head.stripped"
	FormNoHandler = "form.nohandler"
	PageNoIndex   = "page.noindex"
	JSAssets      = "js.assets"
	HTMLQuirks    = "html.quirks"
	BindInvalid   = "bind.invalid"
	BindContext   = "bind.context"
	ImgNoSize     = "img.nosize"
)

type grade uint8

const (
	asError grade = iota
	asWarning
	asInfo
)

// mend is how grave a finding is and what its author can do about it.
var mend = map[string]struct {
	grade grade
	how   string
}{
	RefOutside:    {asError, "leads out of the release; copy the file into the folder and correct the address"},
	RefMissing:    {asError, "is no file of the release; upload it or remove the reference"},
	RefHTTP:       {asError, "is loaded over plain http, which browsers block; use https or put the file into the release"},
	SWRegister:    {asError, "registers a service worker, which would take over the whole shop; remove the call"},
	HTMLParse:     {asError, "cannot be shown inside a page"},
	HeadStripped:  {asWarning, "is dropped from the head, because the shop page sets its own"},
	FormNoHandler: {asWarning, `nobody receives this form; link to a shop form with <a href="form:ID"> or handle it in a script`},
	PageNoIndex:   {asWarning, "asks search engines to stay away and is dropped; unpublish the page or close it in its settings instead"},
	JSAssets:      {asWarning, "is resolved against the page and not against the release; prefix it with window.SVC_ASSETS[id]"},
	HTMLQuirks:    {asWarning, "has no doctype, so it was drawn in quirks mode; the shop page is in standards mode: add <!doctype html> and compare"},
	BindInvalid:   {asWarning, "is no binding that the shop understands; see the list of roots and fields"},
	BindContext:   {asWarning, "stays as it is: nothing is substituted in scripts, styles and event handlers; pass the value in a data-* attribute"},
	ImgNoSize:     {asInfo, "has no width and height, so the page jumps while it loads; set both"},
}

// add files a finding under its grade. The detail names the thing, the table
// says how to mend it.
func (r *Report) add(code, path string, line int, thing string) {
	m := mend[code]
	f := Finding{Code: code, Path: path, Line: line, Detail: thing + " " + m.how}
	switch m.grade {
	case asError:
		r.Errors = append(r.Errors, f)
	case asWarning:
		r.Warnings = append(r.Warnings, f)
	case asInfo:
		r.Infos = append(r.Infos, f)
	}
}

// sorted orders the lists by file and line, without repetitions and never nil.
func (r *Report) sorted() {
	for _, list := range []*[]Finding{&r.Errors, &r.Warnings, &r.Infos} {
		slices.SortStableFunc(*list, func(a, b Finding) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Detail, b.Detail))
		})
		*list = slices.Compact(*list)
		if *list == nil {
			*list = []Finding{}
		}
	}
}

// Has reports whether any finding carries the code.
func (r *Report) Has(code string) bool {
	for _, list := range [][]Finding{r.Errors, r.Warnings, r.Infos} {
		if slices.ContainsFunc(list, func(f Finding) bool { return f.Code == code }) {
			return true
		}
	}
	return false
}
