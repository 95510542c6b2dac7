package fidelity

import "vitrine/compile/release"

// mend is the advice for the author by code of finding.
var mend = map[string]string{
	release.FidelityReset:         "is the browser's own rule, which the shop page resets; set what you need of it in your style sheet, or inherit to use the shop's",
	release.FidelityCascade:       "the bare selector became the wrapper's class and weighs as much; move that rule to the front or write the class twice, as in .home.home",
	release.FidelitySelector:      "no longer matches anything, because the wrapper is a div; write the class or id without html or body",
	release.FidelityRem:           "no longer sets the unit rem, which stays 16px in the shop page; convert the rem lengths or use em",
	release.FidelityHeight:        "has nothing to refer to inside a page before the storefront's script has run, nor next to other blocks; the script sets it to the height of the window without the shop's header; use min-height: 100vh",
	release.FidelityBelow:         "lies below the background of body, which the storefront therefore paints on the whole window, behind the shop's header and footer too; next to other blocks or in a box only the wrapper is painted and the element lies above it",
	release.FidelityCover:         "is placed where the shop's header is; in a page with that header the storefront's script moves a bar below it, by its translate, while the header is visible, and without scripts the header covers it; push with --bare leaves the header out",
	release.FidelityClass:         "is put on the page's own element and on the wrapper, which begins below the shop's header; hide the header of that page or allow for it",
	release.FidelityHandler:       "does not fire, because the wrapper is not a body element; call the code in a script and on svc:navigate",
	release.FidelityBody:          "applies to body only and the wrapper is a div, so some browsers ignore it; set it in the style sheet",
	release.FidelityRoot:          "changes the page's own element; the wrapper gets the same, but rules for it such as body.dark do not reach the wrapper; write .dark",
	release.FidelityRedeclare:     "at the top of a script cannot run again after a visit elsewhere, so the page is then loaded in full; use var, a block around it, or type=module",
	release.FidelityWrite:         "writes at the position of its script when that runs again, and nothing from a callback or a module; insert elements into the document instead",
	release.FidelityReady:         "is called after the last script when a visitor comes from another page of the shop, if it was registered while the scripts ran; to be sure, run it at once and on svc:navigate",
	release.FidelityCurrentScript: "is null in external scripts that run again; find the root by its class svc-body-ID or use window.SVC_ASSETS[ID]",
}
