package release

// Level is how much a finding weighs.
type Level string

// The levels, named as the keys of a report.
const (
	LevelError   Level = "errors"   // stops publishing
	LevelWarning Level = "warnings" // published, but something will not work as written
	LevelInfo    Level = "info"     // advice
)

// The codes of findings (document 3, section 7; html.quirks: CONTRACT; ref.root,
// bind.*, icon.*, sandbox.* and fidelity.* are ours: what a document asks of the shop in vain, and
// what of it does not survive the move into a page).
const (
	RefOutside    = "ref.outside"
	RefMissing    = "ref.missing"
	RefHTTP       = "ref.http"
	FileForbidden = "file.forbidden"
	SWRegister    = "sw.register"
	HashMismatch  = "hash.mismatch"
	HTMLParse     = "html.parse"

	PageExtra     = "page.extra"
	RefRoot       = "ref.root"
	JSAssets      = "js.assets"
	HeadStripped  = "head.stripped"
	FormNoHandler = "form.nohandler"
	PageNoindex   = "page.noindex"
	FileUnused    = "file.unused"
	HTMLQuirks    = "html.quirks"
	BindInvalid   = "bind.invalid"
	BindContext   = "bind.context"
	BindForm      = "bind.form"
	IconUnread    = "icon.unreadable"

	SandboxStorage = "sandbox.storage"
	SWComputed     = "sw.computed"
	TypeUnknown    = "type.unknown"

	FidelityReset         = "fidelity.reset"
	FidelityCascade       = "fidelity.cascade"
	FidelitySelector      = "fidelity.selector"
	FidelityRem           = "fidelity.rem"
	FidelityHandler       = "fidelity.handler"
	FidelityBody          = "fidelity.body"
	FidelityRoot          = "fidelity.root"
	FidelityRedeclare     = "fidelity.redeclare"
	FidelityWrite         = "fidelity.write"
	FidelityReady         = "fidelity.ready"
	FidelityCurrentScript = "fidelity.currentscript"
	FidelityHeight        = "fidelity.height"
	FidelityBelow         = "fidelity.below"
	FidelityClass         = "fidelity.class"
	FidelityCover         = "fidelity.cover"

	ImgLarge  = "img.large"
	ImgNoSize = "img.nosize"
)

// CodeInfo is a row of the table of codes.
type CodeInfo struct {
	Code  string `json:"code"`
	Level Level  `json:"level"`
	Hint  string `json:"hint"` // how to mend it, one sentence
}

// Codes is every code there is, errors first, for reports and for the guides.
var Codes = []CodeInfo{
	{RefOutside, LevelError, "Move the file into the release and refer to it by a path that does not climb above the root."},
	{RefMissing, LevelError, "Add the file to the release or remove the reference; comments in CSS count as references."},
	{RefHTTP, LevelError, "Load the resource by https: or ship it with the release."},
	{FileForbidden, LevelError, "Remove executables and server scripts: nothing is run on the server."},
	{SWRegister, LevelError, "Remove the registration: a service worker would answer for the whole shop, and its host serves none."},
	{HashMismatch, LevelError, "Upload the file again: the bytes that arrived are not those the release announced."},
	{HTMLParse, LevelError, "Make " + Index + " a single HTML document of at most the allowed size, without framesets and extreme nesting."},

	{PageExtra, LevelWarning, "Only " + Index + " is shown as a page: give every further page a document of its own."},
	{RefRoot, LevelWarning, "Write the address without the leading slash, or tell your build tool so (Vite: base './'): / is the root of the shop."},
	{JSAssets, LevelWarning, "Build addresses in scripts from window.SVC_ASSETS, since relative ones resolve against the page."},
	{HeadStripped, LevelWarning, "Set this in the page's SEO or the shop's settings: the node is dropped from the head."},
	{FormNoHandler, LevelWarning, "Give the form an address to send to, or handle it in a script."},
	{PageNoindex, LevelWarning, "Remove the robots meta element if search engines should find the page."},
	{FileUnused, LevelWarning, "Leave the file out if nothing loads it."},
	{HTMLQuirks, LevelWarning, "Begin the document with <!DOCTYPE html>: it is shown in standards mode."},

	{BindInvalid, LevelWarning, "Write the binding with the roots and fields that the shop has: /docs/vz-keys lists them."},
	{BindContext, LevelWarning, "Pass the value in a data-* attribute: nothing is substituted in scripts, styles and event handlers."},
	{BindForm, LevelWarning, "Make the form under /forms or write the id of one that the shop has: form:<id> opens it."},

	{SWComputed, LevelWarning, "Write the name out if it is no service worker; a worker would not be registered: the shop's host serves none, under whatever name a script computes."},
	{TypeUnknown, LevelWarning, "Give the file the extension of its kind: browsers do not load what they cannot name."},
	{IconUnread, LevelWarning, "Save the picture as PNG, JPEG, GIF or WebP of at most 2048 by 2048 pixels: the shop's icons are made of it."},

	{SandboxStorage, LevelWarning, "Keep the state in the page or its address: a site folder runs in a sandbox, where cookies and storage throw."},

	{FidelityReset, LevelWarning, "Write the rule into your own style sheet: the page takes back what browsers set by themselves."},
	{FidelityCascade, LevelWarning, "Put the bare body, html or :root rule first or write the class twice: a bare body weighs as much as a class in the page."},
	{FidelitySelector, LevelWarning, "Write the class or id without html or body before it: the wrapper is a div."},
	{FidelityRem, LevelWarning, "Convert rem lengths: the page's rem is 16px, whatever size the document gives its root."},
	{FidelityHandler, LevelWarning, "Call the code in a script and on svc:navigate: the wrapper gets no events of the window."},
	{FidelityBody, LevelWarning, "Say it in a style sheet: browsers obey the attribute on body, and the wrapper is a div."},
	{FidelityRoot, LevelWarning, "Write .dark in place of body.dark: the wrapper gets the class too, but it is no body."},
	{FidelityRedeclare, LevelWarning, "Use var, a block or a module: the script runs again after a visit to another page of the shop, and one that cannot costs a full load."},
	{FidelityWrite, LevelWarning, "Put elements into the document: after a visit from another page document.write reaches only the place of its script."},
	{FidelityCurrentScript, LevelWarning, "Find the root by its class or window.SVC_ASSETS: document.currentScript is null there."},

	{FidelityReady, LevelInfo, "Run the code at once and on svc:navigate: when a visitor comes from another page, the page is complete already, and the storefront calls what waits only after the last script."},
	{FidelityHeight, LevelInfo, "Use viewport units: inside the page a percentage of the window's height has nothing to hold on to."},
	{FidelityBelow, LevelInfo, "Nothing, where the document has its page to itself: the window is painted as body was; give the part's parent isolation: isolate to keep it within."},
	{FidelityClass, LevelInfo, "Hide the shop's header on that page or allow for it: the wrapper gets the class too and begins below the header."},
	{FidelityCover, LevelInfo, "Nothing, where it is a bar: it stands below the shop's header while that is seen; leave the header out of the page, with push --bare or the flag hideSiteHeader, if the bar is to be all."},
	{ImgLarge, LevelInfo, "Make the image smaller than 400 KB: own files are not resized."},
	{ImgNoSize, LevelInfo, "Set width and height, so that the page does not jump while the image loads."},
}

// LevelOf is the level of a code. A code outside the table is a warning: our
// own slip must not stop a shop from publishing.
func LevelOf(code string) Level { return infoOf(code).Level }

func infoOf(code string) CodeInfo {
	for _, c := range Codes {
		if c.Code == code {
			return c
		}
	}
	return CodeInfo{Code: code, Level: LevelWarning}
}
