package markup

import (
	"cmp"
	"slices"

	codes "vitrine/compile/release"
)

// Finding is one remark of the validator (document 3, section 7).
type Finding = codes.Finding

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

// mend is what the author of a finding can do about it. How grave it is says
// the table of package release.
var mend = map[string]string{
	RefOutside:    "leads out of the release; copy the file into the folder and correct the address",
	RefMissing:    "is no file of the release; upload it or remove the reference",
	RefHTTP:       "is loaded over plain http, which browsers block; use https or put the file into the release",
	SWRegister:    "registers a service worker, which would take over the whole shop; remove the call",
	HTMLParse:     "cannot be shown inside a page",
	HeadStripped:  "is dropped from the head, because the shop page sets its own; remove it, and put what search engines and messengers show into the page's SEO",
	FormNoHandler: "nobody receives this form; give it an address to send to or handle it in a script",
	PageNoIndex:   "asks search engines to stay away and is dropped; unpublish the page or close it in its settings instead",
	RefRoot:       "leads to the root of the shop and not to the file of the release; write it without the leading slash (Vite: base './')",
	JSAssets:      "is resolved against the page and not against the release; prefix it with window.SVC_ASSETS[id]",
	HTMLQuirks:    "has no doctype, so it was drawn in quirks mode; the shop page is in standards mode: add <!doctype html> and compare",
	BindInvalid:   "is no binding that the shop understands; see the list of roots and fields",
	BindContext:   "stays as it is: nothing is substituted in scripts, styles and event handlers; pass the value in a data-* attribute",
	BindForm:      "names no form of the shop, so the link leads to a page that is not there; make the form under /forms or write the id of one",
	ImgNoSize:     "has no width and height, so the page jumps while it loads; set both",

	SandboxStorage: "throws, because a site folder runs in a sandbox without cookies and storage; keep the state in the page or its address, catch the exception, or publish the page as an html document",

	FidelityReset:         "is the browser's own rule, which the shop page resets; write what you want of it into your style sheet, inherit where the shop's is right",
	FidelityCascade:       "the bare selector became the wrapper's class and weighs as much; move that rule to the front or write the class twice, as in .home.home",
	FidelitySelector:      "matches nothing any more, because the wrapper is a div; write the class or id without html or body",
	FidelityRem:           "no longer sets the unit rem, which stays 16px in the shop page; convert the rem lengths or use em",
	FidelityHeight:        "has nothing to hold on to inside a page before the storefront's script has run, nor beside other blocks, and the shop's header comes on top of it; use min-height: 100vh",
	FidelityBelow:         "lies below the background of body, which the storefront therefore paints on the whole window, behind the shop's header and footer too; beside other blocks or in a box the wrapper is painted and the part lies above that only",
	FidelityClass:         "is put on the page's own element and on the wrapper, which begins below the shop's header; hide the header of that page or allow for it",
	FidelityHandler:       "does not fire, because the wrapper is no body; call the code in a script and on svc:navigate",
	FidelityBody:          "is obeyed on body only and the wrapper is a div, so some browsers leave it out; write it into the style sheet",
	FidelityRoot:          "changes the page's own element; the wrapper gets the same, but rules for it such as body.dark do not reach the wrapper; write .dark",
	FidelityRedeclare:     "at the top of a script cannot run again after a visit elsewhere, so that the page is loaded in full then; use var, a block around it, or type=module",
	FidelityWrite:         "writes where its script stands when that runs again, and nothing from a callback or a module; put elements into the document instead",
	FidelityReady:         "is called behind the last script when a visitor comes from another page of the shop, if it was registered while the scripts ran; to be sure, run it at once and on svc:navigate",
	FidelityCurrentScript: "is null in external scripts that run again; find the root by its class svc-body-ID or use window.SVC_ASSETS[ID]",
}

// add files a finding under its grade. The detail names the thing, the table
// says how to mend it.
func (r *Report) add(code, path string, line int, thing string) {
	f := Finding{Code: code, Path: path, Line: line, Detail: thing + " " + mend[code]}
	switch codes.LevelOf(code) {
	case codes.LevelError:
		r.Errors = append(r.Errors, f)
	case codes.LevelWarning:
		r.Warnings = append(r.Warnings, f)
	case codes.LevelInfo:
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
