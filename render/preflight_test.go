package render

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// resets is what the storefront's style sheet may take back of what browsers set in
// a document, by element: margins, heading sizes, list bullets, link colours, button
// chrome, and the page's font (document 3, 4.6.4).
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
	// ours is what an author's element is not: a class or an attribute of the storefront or its bindings.
	ours = regexp.MustCompile(`[.#]v-|data-v-|class\^="v-"|\.svc-body|svc-(variants|sticky|gallery)|^head$|^(from|to|[0-9.]+%)$`)
)

// bracketed is what stands in brackets, where a comma ends no selector.
var bracketed = regexp.MustCompile(`\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`)

func whole(brackets string) string { return strings.ReplaceAll(brackets, ",", " ") }

// Whatever rule is added to the style sheet, it reaches a document only with what
// the specification resets.
func TestDocumentsAreResetAsOrderedAndNoFurther(t *testing.T) {
	seen := map[string]bool{}
	for _, rule := range cssRule.FindAllStringSubmatch(cssRules(), -1) {
		for selector := range strings.SplitSeq(bracketed.ReplaceAllStringFunc(rule[1], whole), ",") {
			selector = strings.TrimSpace(selector)
			allowed, known := resets[selector]
			if !known {
				if !ours.MatchString(selector) {
					t.Errorf("%s reaches documents", rule[0])
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
	// around are the boxes of ours that a document may stand in: its own column and
	// those of widgets and articles.
	around = regexp.MustCompile(`\.v-(wrap|box|boxed|article|article__(main|body|aside)|columns|columns__cell|section)\b`)
	named  = regexp.MustCompile(`[.#]v-|data-v-|svc-`)
	// inBracketsOfNot is what an element must not be, which tells nothing of what it is.
	inBracketsOfNot = regexp.MustCompile(`:not\((?:[^()]|\([^()]*\))*\)`)
)

// A document that stands in a column of ours is none of our own content: a rule for h1,
// for a or for every element of the column leaves it out. What is right inside of body stands beside main, where columns are.
func TestRulesOfOurColumnsEndAtADocument(t *testing.T) {
	for _, rule := range cssRule.FindAllStringSubmatch(cssRules(), -1) {
		for selector := range strings.SplitSeq(bracketed.ReplaceAllStringFunc(rule[1], whole), ",") {
			selector = strings.TrimSpace(selector)
			before, last := lastCompound(selector)
			if before == "" || strings.HasPrefix(selector, "body:not(.svc-body) > ") || named.MatchString(inBracketsOfNot.ReplaceAllString(last, "")) {
				continue
			}
			if around.MatchString(before) && !strings.Contains(selector, ".svc-body *") {
				t.Errorf("%s reaches documents in a column", selector)
			}
		}
	}
}

// A website may give any property that header and footer are coloured by a value of its
// own, for all elements: the guard takes back each of them.
func TestTheGuardKnowsEveryPropertyOfTheShop(t *testing.T) {
	guard := cssRules()[strings.Index(cssRules(), "@layer guard"):]
	for _, use := range regexp.MustCompile(`var\((--[a-z0-9-]+)`).FindAllStringSubmatch(cssRules(), -1) {
		ofWidgets := strings.HasPrefix(use[1], "--b-") || strings.HasPrefix(use[1], "--v-")
		if !ofWidgets && !strings.Contains(guard, use[1]+": revert-layer !important") {
			t.Errorf("%s: a website can set it for the header", use[1])
		}
	}
}

// lastCompound parts a selector before its last combinator outside of brackets. What is
// right inside of something of ours is ours, or the wrapper of a document.
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
