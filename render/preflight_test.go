package render

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// resets lists the browser defaults that the storefront's style sheet may reset in a
// document, by element: margins, heading sizes, list bullets, link colours, button chrome,
// and the page's font (document 3, 4.6.4).
var resets = map[string]string{
	"html": "--v-font font -webkit-text-size-adjust", "body": "margin", "p": "margin", "blockquote": "margin", "dl": "margin", "dd": "margin",
	"figure": "margin", "pre": "margin", "hr": "margin", "fieldset": "margin",
	"h1": "margin font-size", "h2": "margin font-size", "h3": "margin font-size", "h4": "margin font-size", "h5": "margin font-size", "h6": "margin font-size",
	"ol": "margin padding list-style", "ul": "margin padding list-style", "menu": "margin padding list-style", "a": "color",
	"button": buttonChrome, `[type="button"]`: buttonChrome, `[type="submit"]`: buttonChrome, `[type="reset"]`: buttonChrome,
}

const buttonChrome = "margin padding border background font color cursor"

var (
	cssRule = regexp.MustCompile(`([^{};]+)\{([^{}]*)\}`)
	// ours matches what an author's element never has: a class or an attribute of the
	// storefront or its bindings.
	ours = regexp.MustCompile(`[.#]v-|data-v-|class\^="v-"|\.svc-body|svc-(variants|sticky|gallery)|^head$|^(from|to|[0-9.]+%)$`)
)

// bracketed matches brackets, in which a comma does not end a selector.
var bracketed = regexp.MustCompile(`\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`)

func whole(brackets string) string { return strings.ReplaceAll(brackets, ",", " ") }

// No rule of the style sheet may change a document beyond the resets of the specification.
func TestDocumentsAreResetAsSpecifiedOnly(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range cssRule.FindAllStringSubmatch(cssRules(), -1) {
		for selector := range strings.SplitSeq(bracketed.ReplaceAllStringFunc(rule[1], whole), ",") {
			selector = strings.TrimSpace(selector)
			allowed, known := resets[selector]
			if !known {
				if !ours.MatchString(selector) {
					t.Errorf("%s applies to documents", rule[0])
				}
				continue
			}
			seen[selector] = true
			for declaration := range strings.SplitSeq(rule[2], ";") {
				name, _, _ := strings.Cut(declaration, ":")
				if name = strings.TrimSpace(name); name != "" && !slices.Contains(strings.Fields(allowed), name) {
					t.Errorf("%s resets %s of documents", selector, name)
				}
			}
		}
	}
	for selector := range resets {
		if !seen[selector] {
			t.Errorf("%s is not reset", selector)
		}
	}
}

var (
	// around matches the storefront's boxes that may contain a document: its own column and
	// those of widgets and articles.
	around = regexp.MustCompile(`\.v-(wrap|box|boxed|article|article__(main|body|aside)|columns|columns__cell|section)\b`)
	named  = regexp.MustCompile(`[.#]v-|data-v-|svc-`)
	// inBracketsOfNot matches :not(…), which excludes elements but does not require any.
	inBracketsOfNot = regexp.MustCompile(`:not\((?:[^()]|\([^()]*\))*\)`)
)

// A document in a column of the storefront is not storefront content: rules for h1, a or all
// elements of the column exclude it. Selectors that are correct directly inside body apply
// next to main, where there are no columns.
func TestColumnRulesExcludeDocuments(t *testing.T) {
	for _, rule := range cssRule.FindAllStringSubmatch(cssRules(), -1) {
		for selector := range strings.SplitSeq(bracketed.ReplaceAllStringFunc(rule[1], whole), ",") {
			selector = strings.TrimSpace(selector)
			before, last := lastCompound(selector)
			if before == "" || strings.HasPrefix(selector, "body:not(.svc-body) > ") || named.MatchString(inBracketsOfNot.ReplaceAllString(last, "")) {
				continue
			}
			if around.MatchString(before) && !strings.Contains(selector, ".svc-body *") {
				t.Errorf("%s applies to documents in a column", selector)
			}
		}
	}
}

// A website may redefine, for all elements, any custom property that colours header and
// footer: the guard must reset each of them.
func TestGuardResetsEveryPropertyOfTheShop(t *testing.T) {
	guard := cssRules()[strings.Index(cssRules(), "@layer guard"):]
	for _, use := range regexp.MustCompile(`var\((--[a-z0-9-]+)`).FindAllStringSubmatch(cssRules(), -1) {
		ofWidgets := strings.HasPrefix(use[1], "--b-") || strings.HasPrefix(use[1], "--v-")
		if !ofWidgets && !strings.Contains(guard, use[1]+": revert-layer !important") {
			t.Errorf("%s: a website can change it in the header", use[1])
		}
	}
}

// lastCompound splits a selector at its last combinator outside of brackets. A direct child
// of a storefront element is the storefront's own, or the wrapper of a document.
func lastCompound(selector string) (before, last string) {
	depth, cut := 0, 0
	for i, r := range selector {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth == 0 && (r == ' ' || r == '+' || r == '~'):
			cut = i
		}
	}
	if before = strings.TrimSpace(selector[:cut]); strings.HasSuffix(before, ">") {
		return "", selector
	}
	return before, strings.TrimSpace(selector[cut:])
}
