package compile

import (
	"strconv"
	"strings"

	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// MaxHops is how many redirects in a row a rule set may send (document 3, 4.5).
const MaxHops = 10

// Step is one redirect of a trace (document 3, 4.4).
type Step struct {
	Kind         string      `json:"kind"` // rule, html, canonical, slug-journal, fallback
	From         string      `json:"from"`
	To           string      `json:"to"`
	RuleID       shop.RuleID `json:"rule_id"`
	Code         int         `json:"code"`      // stored code of the rule, 0 without one
	SentCode     int         `json:"sent_code"` // status that is sent
	OverrideLive bool        `json:"override_live"`
}

// Trace tells what an address answers and why (document 3, 4.4:
// /storefront-redirects/check).
type Trace struct {
	Matched  bool        `json:"matched"`   // a rule answers on the way
	RuleID   shop.RuleID `json:"rule_id"`   // the first rule that answers
	Code     int         `json:"code"`      // its stored code
	SentCode int         `json:"sent_code"` // the code it sends; 0 when no rule matched
	Location string      `json:"location"`  // where the visitor arrives, "" when nothing redirects
	Chain    []string    `json:"chain"`     // every address on the way, the first and the last included
	Fallback bool        `json:"fallback"`  // the nearest section answers on the way
	Reserved bool        `json:"reserved"`  // the address is a path of the platform
	TooLong  bool        `json:"too_long"`  // more hops than MaxHops, or a circle
	Reason   string      `json:"reason"`    // the same for people
	Steps    []Step      `json:"steps"`
}

// note writes a redirect down when the walk is traced.
func (w *Walk) note(target string, d Decision) {
	if !w.Trace || d.Kind != Redirect {
		return
	}
	w.Steps = append(w.Steps, Step{
		Kind: d.By.String(), From: strings.Clone(target), To: strings.Clone(d.Location),
		RuleID: d.Rule, Code: d.Code, SentCode: d.Status, OverrideLive: d.Override,
	})
}

// Check follows an address as a browser would. target is a path with an
// optional query, or an absolute address on one of the shop's hosts.
func (s *Site) Check(target string) Trace {
	t := Trace{Chain: []string{}}
	host, at, here := s.local(target, s.host())
	if !here {
		t.Steps = []Step{}
		t.Reason = "This is no address of the shop: give a path that begins with / or a full address on the shop's own host."
		return t
	}
	w := &Walk{Trace: true, Steps: []Step{}}
	var d Decision
	for here {
		if d = s.Resolve(w, host, at); d.Kind != Redirect {
			break
		}
		if t.TooLong = len(w.Steps) > MaxHops; t.TooLong {
			w.Steps = w.Steps[:MaxHops]
			break
		}
		host, at, here = s.local(strings.Clone(d.Location), host)
	}
	t.follow(w.Steps)
	t.Reserved = len(t.Steps) == 0 && d.Kind == Service
	t.Reason = s.reason(&t, d, w)
	return t
}

// follow fills the fields that speak of the way as a whole.
func (t *Trace) follow(steps []Step) {
	t.Steps = steps
	for i, step := range steps {
		if i == 0 {
			t.Chain = append(t.Chain, step.From)
		}
		if step.Kind == ByRule.String() && !t.Matched {
			t.Matched, t.RuleID, t.Code, t.SentCode = true, step.RuleID, step.Code, step.SentCode
		}
		t.Fallback = t.Fallback || step.Kind == ByFallback.String()
		t.Location = step.To
		t.Chain = append(t.Chain, step.To)
	}
}

// reason puts a trace into words.
func (s *Site) reason(t *Trace, d Decision, w *Walk) string {
	if t.TooLong {
		return "The address is redirected more than " + strconv.Itoa(MaxHops) + " times in a row or in a circle; browsers give up on it."
	}
	if len(t.Steps) == 0 {
		return s.standing(d, w)
	}
	var b strings.Builder
	first := t.Steps[0]
	switch first.Kind {
	case ByRule.String():
		b.WriteString("Rule " + first.RuleID.String() + " answers")
		if first.OverrideLive {
			b.WriteString(", over any live page,")
		}
		b.WriteString(" with " + strconv.Itoa(first.SentCode))
	case ByHTML.String():
		b.WriteString("An address ending in .html is sent to the same address without it")
	case ByCanonical.String():
		b.WriteString("The page has another address of its own and visitors are sent there")
	case ByJournal.String():
		b.WriteString("The page had this address before it was renamed and visitors are sent to the new one")
	case ByFallback.String():
		b.WriteString("No page and no rule answers, so visitors are sent to the nearest live section")
	}
	if n := len(t.Steps); n > 1 {
		b.WriteString("; " + strconv.Itoa(n) + " redirects follow one another")
	}
	return b.String() + ". " + arrival(d)
}

// standing is the reason of an address that is not redirected.
func (s *Site) standing(d Decision, w *Walk) string {
	switch d.Kind {
	case Service:
		return "This is a path of the platform itself; no rule acts on it."
	case File:
		return "A published site file answers; only a rule that acts over live pages comes before it."
	case Page:
		if m, ok := s.hidden(w); ok {
			return "A live page answers. Rule " + m.String() + " has this address as its source but does not act over live pages."
		}
		return "A live page answers; only a rule that acts over live pages comes before it."
	}
	return arrival(d)
}

// hidden finds the rule that would answer if there were no page.
func (s *Site) hidden(w *Walk) (shop.RuleID, bool) {
	m, ok := s.set.Match(redirect.Plain, &w.addr)
	if !ok {
		return 0, false
	}
	return m.Rule.ID, true
}

// arrival says what the last address of a way answers.
func arrival(d Decision) string {
	switch d.Kind {
	case NotFound:
		return "Nothing answers there: the visitor gets the page for missing addresses (404)."
	case BadAddress:
		return "The address is malformed: broken percent-escapes or control characters (400)."
	case TooLong:
		return "The address is longer than 8 KB (414)."
	case Redirect:
		return "The visitor leaves the shop."
	case Service:
		return "A path of the platform answers there."
	case File:
		return "A site file answers there."
	}
	return "A live page answers there."
}
