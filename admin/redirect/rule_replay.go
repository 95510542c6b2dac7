package redirect

import (
	"context"
	"strings"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	redirectdb "vitrine/internal/store/redirect"
)

// maxReplayed is how many addresses of each of two lists a dry run tries: the most frequent ones
// of the 404 log, and the sources of the most recently used rules.
const maxReplayed = 500

// replay describes how a mutation would change the responses to recently visited addresses.
type replay struct {
	Changed []replayed `json:"changed"`
	Total   int        `json:"total"`   // number of changed addresses
	Checked int        `json:"checked"` // number of addresses that were tried
}

type replayed struct {
	Path   string     `json:"path"`
	Before reply      `json:"before"`
	After  reply      `json:"after"`
	Hits   shop.Int64 `json:"hits"`
}

// reply is the first response to an address, without following redirects.
type reply struct {
	Kind     string      `json:"kind"` // rule, html, canonical, slug-journal, fallback; page, file, service, missing, malformed
	Location string      `json:"location"`
	Code     int         `json:"code"` // HTTP status
	RuleID   shop.RuleID `json:"rule_id"`
}

// replay compares the responses of the current shop with those of the changed one.
func (s *ruleSet) replay(ctx context.Context, r store.Reader) (*replay, error) {
	asked, err := redirectdb.RequestedPaths(ctx, r, maxReplayed)
	if err != nil {
		return nil, err
	}
	rules := make(map[shop.RuleID]redirectdb.Rule, len(s.cached.Rules))
	for _, row := range s.cached.Rules {
		rules[row.ID] = row
	}
	out, seen, after := &replay{Changed: []replayed{}}, map[string]bool{}, s.site()
	var w compile.Walk
	for _, a := range asked {
		path := a.Path
		if a.Rule != 0 {
			path = example(rules[a.Rule])
		}
		if path == "" || seen[path] {
			continue
		}
		seen[path] = true
		out.Checked++
		x, y := replyOf(s.before, &w, path), replyOf(after, &w, path)
		if x != y {
			out.Changed = append(out.Changed, replayed{Path: path, Before: x, After: y, Hits: shop.Int64(a.Hits)})
		}
	}
	out.Total = len(out.Changed)
	return out, nil
}

// example returns an address that matches a rule.
func example(r redirectdb.Rule) string {
	switch redirect.Kind(r.Kind) {
	case redirect.Exact:
		if r.QueryMatch != "" {
			return r.From + "?" + r.QueryMatch
		}
		return r.From
	default:
		return strings.ReplaceAll(strings.ReplaceAll(r.From, "**", "x"), "*", "x")
	}
}

func replyOf(site *compile.Site, w *compile.Walk, path string) reply {
	d := site.Resolve(w, site.Shop().Hosts[0], path)
	switch d.Kind {
	case compile.Redirect:
		id := d.Rule
		if id >= unsaved {
			id = 0
		}
		return reply{Kind: d.By.String(), Location: strings.Clone(d.Location), Code: d.Status, RuleID: id}
	case compile.Page:
		return reply{Kind: "page", Code: 200}
	case compile.File:
		return reply{Kind: "file", Code: 200}
	case compile.Feed:
		return reply{Kind: "feed", Code: 200}
	case compile.Search:
		return reply{Kind: "search", Code: 200}
	case compile.Service:
		return reply{Kind: "service", Code: 200}
	case compile.BadAddress:
		return reply{Kind: "malformed", Code: 400}
	case compile.TooLong:
		return reply{Kind: "malformed", Code: 414}
	}
	return reply{Kind: "missing", Code: 404}
}
