package compile

import (
	"strings"

	"vitrine/compile/loop"
	"vitrine/internal/shop"
)

// Step is one redirect of a trace (document 3, 4.4).
type Step struct {
	Kind         string      `json:"kind"` // rule, html, canonical, slug-journal, fallback
	From         string      `json:"from"`
	To           string      `json:"to"`
	RuleID       shop.RuleID `json:"rule_id"`
	Code         int         `json:"code"`      // stored code of the rule, 0 without one
	SentCode     int         `json:"sent_code"` // status that is sent
	OverrideLive bool        `json:"override_live"`
	Page         *TracedPage `json:"page,omitempty"` // that it leads to, if the step knows it
}

// TracedPage is a live page that a trace leads to.
type TracedPage struct {
	Entity string                `json:"entity" enum:"category,product,article"`
	ID     shop.Number[struct{}] `json:"id"`
}

func traced(ref PageRef) *TracedPage {
	if ref.Entity == 0 {
		return nil
	}
	return &TracedPage{ref.Entity.String(), shop.Number[struct{}](ref.ID)}
}

// Trace reports what an address answers and why (document 3, 4.4: /storefront-redirects/check).
type Trace struct {
	Matched  bool        `json:"matched"`   // a rule answers along the chain
	RuleID   shop.RuleID `json:"rule_id"`   // the first rule that answers
	Code     int         `json:"code"`      // its stored code
	SentCode int         `json:"sent_code"` // the code it sends; 0 when no rule matched
	Location string      `json:"location"`  // where the visitor arrives, "" when nothing redirects
	Chain    []string    `json:"chain"`     // every address of the chain, including the first and the last
	Fallback bool        `json:"fallback"`  // the fallback to the nearest section answers along the chain
	Reserved bool        `json:"reserved"`  // the address is a path of the platform
	TooLong  bool        `json:"too_long"`  // more hops than loop.MaxHops, or a loop
	Reason   string      `json:"reason"`    // the same in words
	Steps    []Step      `json:"steps"`
	Answers  int         `json:"answers"`        // status of the last address; 0 beyond the shop and in a loop
	Page     *TracedPage `json:"page,omitempty"` // at the last address

	closed string // the policies that close the first closed address of the chain, in words
}

// note records a redirect when the walk is traced.
func (w *Walk) note(target string, d Decision) {
	if !w.Trace || d.Kind != Redirect {
		return
	}
	w.Steps = append(w.Steps, Step{
		Kind: d.By.String(), From: strings.Clone(target), To: strings.Clone(d.Location),
		RuleID: d.Rule, Code: d.Code, SentCode: d.Status, OverrideLive: d.Override, Page: traced(d.Page),
	})
}

// Check follows an address as a browser would. target is a path with an
// optional query, or an absolute address on one of the shop's hosts.
func (s *Site) Check(target string) Trace {
	t := Trace{Chain: []string{}}
	host, at, here := s.local(target, s.host())
	if !here {
		t.Steps = []Step{}
		t.Reason = elsewhere
		return t
	}
	w := &Walk{Trace: true, Steps: []Step{}}
	var d Decision
	for here {
		d = s.Resolve(w, host, at)
		if d.Closed != nil && t.closed == "" {
			t.closed = "Visitors without access by " + s.policyNames(d.Closed) + " get its page at " + at + " (403). For all others: "
		}
		if d.Kind != Redirect {
			break
		}
		if t.TooLong = len(w.Steps) > loop.MaxHops; t.TooLong {
			w.Steps = w.Steps[:loop.MaxHops]
			break
		}
		host, at, here = s.local(strings.Clone(d.Location), host)
	}
	t.follow(w.Steps)
	if here && !t.TooLong {
		t.Answers, t.Page = d.HTTP(), traced(d.Page)
	}
	t.Reserved = len(t.Steps) == 0 && d.Kind == Service
	t.Reason = s.reason(&t, d, w)
	return t
}

// follow fills the fields that describe the chain as a whole.
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
