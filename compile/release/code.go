package release

// Level is the severity of a finding.
type Level string

// The levels, named as the keys of a report.
const (
	LevelError   Level = "errors"   // stops publishing
	LevelWarning Level = "warnings" // published, but something does not work as written
	LevelInfo    Level = "info"     // advice
)

// The codes of findings (document 3, section 7; html.quirks: CONTRACT; ref.root, bind.*, icon.*,
// sandbox.* and fidelity.* are ours: requests of a document that the shop cannot meet, and parts
// of it that do not survive the move into a page).
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
	Hint  string `json:"hint"` // how to fix it, one sentence
}

// Codes lists all codes, errors first, for reports and for the guides.
var Codes = []CodeInfo{
	{RefOutside, LevelError, "Move the file into the release and refer to it by a path that does not climb above the root."},
	{RefMissing, LevelError, "Add the file to the release or remove the reference; comments in CSS count as references."},
	{RefHTTP, LevelError, "Load the resource by https: or ship it with the release."},
	{FileForbidden, LevelError, "Remove executables and server scripts: nothing is run on the server."},
	{SWRegister, LevelError, "Remove the registration: a service worker would answer requests of the whole shop, whose host serves none."},
	{HashMismatch, LevelError, "Upload the file again: the bytes that arrived are not those the release announced."},
	{HTMLParse, LevelError, "Make " + Index + " a single HTML document of at most the allowed size, without framesets and extreme nesting."},

	{PageExtra, LevelWarning, "Only " + Index + " is shown as a page: give every further page its own document."},
	{RefRoot, LevelWarning, "Write the address without the leading slash, or tell your build tool so (Vite: base './'): / is the root of the shop."},
	{JSAssets, LevelWarning, "Build addresses in scripts from window.SVC_ASSETS, since relative ones resolve against the page."},
	{HeadStripped, LevelWarning, "Set this in the page's SEO or the shop's settings: the node is dropped from the head."},
	{FormNoHandler, LevelWarning, "Give the form an address to send to, or handle it in a script."},
	{PageNoindex, LevelWarning, "Remove the robots meta element if search engines should find the page."},
	{FileUnused, LevelWarning, "Leave the file out if nothing loads it."},
	{HTMLQuirks, LevelWarning, "Begin the document with <!DOCTYPE html>: it is shown in standards mode."},

	{BindInvalid, LevelWarning, "Use roots and fields that exist: /docs/vz-keys lists them."},
	{BindContext, LevelWarning, "Pass the value in a data-* attribute: nothing is substituted in scripts, styles and event handlers."},
	{BindForm, LevelWarning, "Create the form under /forms or use the id of an existing one: form:<id> opens it."},

	{SWComputed, LevelWarning, "Write the name literally if it is not about service workers; a service worker would not be registered: the shop's host serves none, however a script computes its name."},
	{TypeUnknown, LevelWarning, "Give the file the extension of its type: browsers do not load files of an unknown type."},
	{IconUnread, LevelWarning, "Save the picture as PNG, JPEG, GIF or WebP of at most 2048 by 2048 pixels: the shop's icons are made of it."},

	{SandboxStorage, LevelWarning, "Keep the state in the page or its address: a site folder runs in a sandbox, where cookies and storage throw."},

	{FidelityReset, LevelWarning, "Write the rule into your own style sheet: the page resets the default styles of browsers."},
	{FidelityCascade, LevelWarning, "Put the bare body, html or :root rule first or write the class twice: a bare body weighs as much as a class in the page."},
	{FidelitySelector, LevelWarning, "Write the class or id without html or body before it: the wrapper is a div."},
	{FidelityRem, LevelWarning, "Convert rem lengths: the page's rem is 16px, whatever size the document gives its root."},
	{FidelityHandler, LevelWarning, "Call the code in a script and on svc:navigate: the wrapper gets no events of the window."},
	{FidelityBody, LevelWarning, "Set it in a style sheet: browsers apply the attribute only to body, and the wrapper is a div."},
	{FidelityRoot, LevelWarning, "Write .dark instead of body.dark: the wrapper gets the class too, but it is not a body element."},
	{FidelityRedeclare, LevelWarning, "Use var, a block or a module: the script runs again after a visit to another page of the shop, and one that cannot costs a full load."},
	{FidelityWrite, LevelWarning, "Put elements into the document: after a visit from another page document.write reaches only the place of its script."},
	{FidelityCurrentScript, LevelWarning, "Find the root by its class or window.SVC_ASSETS: document.currentScript is null there."},

	{FidelityReady, LevelInfo, "Run the code at once and on svc:navigate: when a visitor comes from another page, the page is already loaded, and the storefront calls waiting handlers only after the last script."},
	{FidelityHeight, LevelInfo, "Use viewport units: inside the page a percentage of the window's height has nothing to refer to."},
	{FidelityBelow, LevelInfo, "No change is needed if the document has the page to itself: the window is painted as body was; otherwise give the element's parent isolation: isolate to contain it."},
	{FidelityClass, LevelInfo, "Hide the shop's header on that page or allow for it: the wrapper gets the class too and begins below the header."},
	{FidelityCover, LevelInfo, "No change is needed for a bar: it stays below the shop's header while that is visible; to have only the bar, leave the header out of the page with push --bare or the flag hideSiteHeader."},
	{ImgLarge, LevelInfo, "Make the image smaller than 400 KB: own files are not resized."},
	{ImgNoSize, LevelInfo, "Set width and height, so that the page does not jump while the image loads."},
}

// LevelOf returns the level of a code. A code outside the table is a warning: our own mistake
// must not prevent a shop from publishing.
func LevelOf(code string) Level { return infoOf(code).Level }

func infoOf(code string) CodeInfo {
	for _, c := range Codes {
		if c.Code == code {
			return c
		}
	}
	return CodeInfo{Code: code, Level: LevelWarning}
}
