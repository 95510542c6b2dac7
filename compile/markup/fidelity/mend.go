package fidelity

import "vitrine/compile/release"

// mend is what the author of a finding can do about it.
var mend = map[string]string{
	release.FidelityReset:         "is the browser's own rule, which the shop page resets; write what you want of it into your style sheet, inherit where the shop's is right",
	release.FidelityCascade:       "the bare selector became the wrapper's class and weighs as much; move that rule to the front or write the class twice, as in .home.home",
	release.FidelitySelector:      "matches nothing any more, because the wrapper is a div; write the class or id without html or body",
	release.FidelityRem:           "no longer sets the unit rem, which stays 16px in the shop page; convert the rem lengths or use em",
	release.FidelityHeight:        "has nothing to hold on to inside a page before the storefront's script has run, nor beside other blocks; the script makes it what the shop's header leaves of the window; use min-height: 100vh",
	release.FidelityBelow:         "lies below the background of body, which the storefront therefore paints on the whole window, behind the shop's header and footer too; beside other blocks or in a box the wrapper is painted and the part lies above that only",
	release.FidelityCover:         "stands where the shop's header is; in a page with that header the storefront's script moves a bar below it, by its translate, for as long as the header is seen, and without scripts the header lies above; push with --bare leaves the header out",
	release.FidelityClass:         "is put on the page's own element and on the wrapper, which begins below the shop's header; hide the header of that page or allow for it",
	release.FidelityHandler:       "does not fire, because the wrapper is no body; call the code in a script and on svc:navigate",
	release.FidelityBody:          "is obeyed on body only and the wrapper is a div, so some browsers leave it out; write it into the style sheet",
	release.FidelityRoot:          "changes the page's own element; the wrapper gets the same, but rules for it such as body.dark do not reach the wrapper; write .dark",
	release.FidelityRedeclare:     "at the top of a script cannot run again after a visit elsewhere, so that the page is loaded in full then; use var, a block around it, or type=module",
	release.FidelityWrite:         "writes where its script stands when that runs again, and nothing from a callback or a module; put elements into the document instead",
	release.FidelityReady:         "is called behind the last script when a visitor comes from another page of the shop, if it was registered while the scripts ran; to be sure, run it at once and on svc:navigate",
	release.FidelityCurrentScript: "is null in external scripts that run again; find the root by its class svc-body-ID or use window.SVC_ASSETS[ID]",
}
