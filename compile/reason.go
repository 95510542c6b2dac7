package compile

import (
	"slices"
	"strconv"
	"strings"

	"vitrine/compile/loop"
	"vitrine/compile/redirect"
)

// elsewhere is the reason for a target that Check cannot follow.
const elsewhere = "This is not an address of the shop: give a path that begins with / or a full address on the shop's own host."

// reason describes a trace to the owner of the shop: one sentence for each redirect, and one for
// the final answer.
func (s *Site) reason(t *Trace, d Decision, w *Walk) string {
	var b strings.Builder
	if s.shop.Closed && !t.Reserved && d.Kind != BadAddress && d.Kind != TooLong {
		b.WriteString("The shop is closed: visitors without its PIN get the PIN page at this address. For all others: ")
	}
	b.WriteString(t.closed)
	for i, step := range t.Steps {
		if i > 0 {
			b.WriteString(" Then: ")
		}
		b.WriteString(s.sentence(step))
	}
	switch {
	case t.TooLong:
		b.WriteString(t.endless())
	case len(t.Steps) == 0:
		b.WriteString(s.directAnswer(d, w))
	default:
		b.WriteString(" " + s.finalAnswer(d, w))
	}
	return b.String()
}

// sentence explains why a redirect is sent, and where to.
func (s *Site) sentence(step Step) string {
	to := " sends the visitor to " + step.To + " (" + strconv.Itoa(step.SentCode) + ")."
	path, _, _ := strings.Cut(step.From, "?")
	switch step.Kind {
	case ByRule.String():
		rule := "Rule " + step.RuleID.String()
		if i := slices.IndexFunc(s.rules, func(r redirect.Rule) bool { return r.ID == step.RuleID }); i >= 0 {
			rule += ", " + s.rules[i].From + ","
		}
		switch {
		case step.OverrideLive:
			return rule + " acts over live pages and" + to
		case step.Code == step.SentCode:
			return rule + " was written for an address ending in .html and" + to
		}
		return "No page has the address " + path + ", so rule" + strings.TrimPrefix(rule, "Rule") + to
	case ByHTML.String():
		return "Addresses have no .html here, so the shop" + to
	case ByCanonical.String():
		return "The page of " + path + " has its own address, and the shop" + to
	case ByJournal.String():
		return "The page of " + path + " was renamed, and the shop" + to
	}
	return "No page and no rule has the address " + path + ", so the shop" + to[:len(to)-1] + ", the nearest section."
}

// endless explains why a browser never reaches the end of the chain.
func (t *Trace) endless() string {
	for i, step := range t.Steps {
		if slices.ContainsFunc(t.Steps[:i], func(before Step) bool { return before.From == step.From }) {
			return " And so on in a circle: browsers give up with an error. Delete or change one of these rules."
		}
	}
	return " And so on, more than " + strconv.Itoa(loop.MaxHops) +
		" times in a row: browsers give up with an error. Let the first rule lead to the last address."
}

// directAnswer describes an address that is not redirected.
func (s *Site) directAnswer(d Decision, w *Walk) string {
	switch d.Kind {
	case Service:
		return "This is a path of the platform itself, such as the cart or a file; no rule acts on it."
	case BadAddress:
		return "The address is malformed: it has a % without two hexadecimal digits behind it, or control characters (400). No rule acts on it."
	case TooLong:
		return "The address is longer than 8 KB (414). No rule acts on it."
	case Search:
		return "The shop's search answers; only a rule that names the address itself comes before it."
	case File:
		return "A published site file answers; only a rule that acts over live pages comes before it."
	case Page:
		answer := s.finalAnswer(d, w)
		if m, ok := s.set.Match(redirect.Plain, &w.addr); ok {
			return answer + " Rule " + m.Rule.ID.String() + ", " + m.Rule.From + ", has this address too, but does not act over live pages."
		}
		return answer + " Only a rule that acts over live pages comes before it."
	}
	return s.finalAnswer(d, w)
}

// finalAnswer describes the answer of the last address of a chain.
func (s *Site) finalAnswer(d Decision, w *Walk) string {
	switch d.Kind {
	case NotFound:
		if w.addr.Dots {
			return "An address with . or .. between its slashes is never answered: the visitor gets the page for missing addresses (404)."
		}
		missing := "No page, no rule and no former address: the visitor gets the page for missing addresses (404)."
		switch {
		case isFileName(w.last()):
			missing += " An address that ends like a file is not sent to the nearest section."
		case !s.shop.MissFallback:
			missing += " The fallback to the nearest section is switched off."
		}
		return missing
	case Feed:
		return "The articles of the section at " + s.URL(d.Page) + " answer there as RSS; any page, file or rule of the shop with that address would come before."
	case BadAddress:
		return "That address is malformed (400)."
	case TooLong:
		return "That address is longer than 8 KB (414)."
	case Redirect:
		return "There the visitor leaves the shop."
	case Service:
		return "A path of the platform itself answers there."
	case File:
		return "A published site file answers."
	case Search:
		return "The shop's search answers."
	}
	if s.isFolder(d.Page) {
		return "A website folder answers by its own files."
	}
	return "A live page answers."
}
