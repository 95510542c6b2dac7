package markup

import (
	"cmp"
	"slices"

	codes "vitrine/compile/release"
)

// Finding is one remark of the validator (document 3, section 7).
type Finding = codes.Finding

// Report is the result of checking a release for publishing. Errors refuse it.
type Report struct {
	Errors   []Finding `json:"errors"`
	Warnings []Finding `json:"warnings"`
	Infos    []Finding `json:"info"`
}

// Codes of the findings raised by compiling a document. Package release raises those about files:
// file.forbidden, hash.mismatch, page.extra, file.unused, img.large.
const (
	RefOutside    = codes.RefOutside
	RefMissing    = codes.RefMissing
	RefHTTP       = codes.RefHTTP
	SWRegister    = codes.SWRegister
	HTMLParse     = codes.HTMLParse
	HeadStripped  = codes.HeadStripped
	FormNoHandler = codes.FormNoHandler
	PageNoIndex   = codes.PageNoindex
	RefRoot       = codes.RefRoot
	JSAssets      = codes.JSAssets
	HTMLQuirks    = codes.HTMLQuirks
	BindInvalid   = codes.BindInvalid
	BindContext   = codes.BindContext
	BindForm      = codes.BindForm
	ImgNoSize     = codes.ImgNoSize
)

// mend is the advice for the author by code of finding. The table of package release has the
// levels.
var mend = map[string]string{
	RefOutside:    "leads out of the release; copy the file into the folder and correct the address",
	RefMissing:    "is not a file of the release; upload it or remove the reference",
	RefHTTP:       "is loaded over plain http, which browsers block; use https or put the file into the release",
	SWRegister:    "registers a service worker, which would take over the whole shop; remove the call",
	HTMLParse:     "cannot be shown inside a page",
	HeadStripped:  "is dropped from the head, because the shop page has its own; remove it, and set what search engines and messengers show in the page's SEO",
	FormNoHandler: "nothing handles this form; give it an address to send to or handle it in a script",
	PageNoIndex:   "asks search engines to stay away and is dropped; unpublish the page or close it in its settings instead",
	RefRoot:       "leads to the root of the shop and not to the file of the release; write it without the leading slash (Vite: base './')",
	JSAssets:      "is resolved against the page and not against the release; prefix it with window.SVC_ASSETS[id]",
	HTMLQuirks:    "has no doctype, so it was drawn in quirks mode; the shop page is in standards mode: add <!doctype html> and compare",
	BindInvalid:   "is not a valid binding; see the list of roots and fields",
	BindContext:   "is kept unchanged: nothing is substituted in scripts, styles and event handlers; pass the value in a data-* attribute",
	BindForm:      "is not a form of the shop, so the link leads to a missing page; create the form under /forms or use the id of an existing one",
	ImgNoSize:     "has no width and height, so the page jumps while it loads; set both",

	SandboxStorage: "throws, because a site folder runs in a sandbox without cookies and storage; keep the state in the page or its address, catch the exception, or publish the page as an html document",
}

// add adds a finding under the level of its code. The detail names the thing and how to fix it.
func (r *Report) add(code, path string, line int, detail string) {
	f := Finding{Code: code, Path: path, Line: line, Detail: detail}
	switch codes.LevelOf(code) {
	case codes.LevelError:
		r.Errors = append(r.Errors, f)
	case codes.LevelWarning:
		r.Warnings = append(r.Warnings, f)
	case codes.LevelInfo:
		r.Infos = append(r.Infos, f)
	}
}

// sorted sorts the lists by file and line, removes duplicates and makes them non-nil.
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

// Has reports whether any finding has the code.
func (r *Report) Has(code string) bool {
	for _, list := range [][]Finding{r.Errors, r.Warnings, r.Infos} {
		if slices.ContainsFunc(list, func(f Finding) bool { return f.Code == code }) {
			return true
		}
	}
	return false
}
