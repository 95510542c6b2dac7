package markup

import (
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

// atKind is how the block of an at-rule is read.
type atKind uint8

const (
	copied      atKind = iota // unknown: not a byte changes
	importing                 // a statement whose first string is an address
	conditional               // holds what its surroundings hold
	scoping                   // its prelude is selectors
	declaring                 // declarations, possibly in blocks: addresses only
)

var atRules = map[string]atKind{
	"import": importing,
	"media":  conditional, "supports": conditional, "layer": conditional, "container": conditional,
	"starting-style": conditional, "document": conditional, "when": conditional, "else": conditional,
	"scope":     scoping,
	"font-face": declaring, "page": declaring, "property": declaring, "counter-style": declaring,
	"keyframes": declaring, "font-feature-values": declaring, "font-palette-values": declaring,
	"view-transition": declaring, "position-try": declaring, "color-profile": declaring, "viewport": declaring,
}

// atRule reads an at-rule and returns the index behind it.
func (s *sheet) atRule(i int, outer ancestor, declarations, top bool) int {
	start := len(s.out)
	kind := atRules[atName(s.text(i))]
	end, block := s.atPrelude(i+1, top)
	switch {
	case !block:
		s.statement(i, end, kind)
	case kind == conditional:
		s.copyAll(i, end)
		empty := len(s.out) + len("{}")
		end = s.block(end, outer, declarations)
		if s.echo && len(s.out) <= empty {
			s.out = s.out[:start]
		}
		return end
	case kind == scoping:
		s.copy(i)
		s.scopePrelude(i+1, end)
		end = s.block(end, fresh, true)
	default:
		end = min(s.skip(end)+1, len(s.toks))
		if kind == declaring {
			s.values(i, end)
		} else {
			s.copyAll(i, end)
		}
	}
	s.forget(start)
	return end
}

// atName is the name of an at-rule without vendor prefix.
func atName(text string) string {
	name := strings.ToLower(unescapeCSS(text[1:]))
	for _, vendor := range [...]string{"-webkit-", "-moz-", "-ms-", "-o-"} {
		if rest, ok := strings.CutPrefix(name, vendor); ok {
			return rest
		}
	}
	return name
}

// atPrelude finds the brace that opens the block of an at-rule, or the index
// behind a rule without one.
func (s *sheet) atPrelude(i int, top bool) (end int, block bool) {
	var open stack
	for j := i; j < len(s.toks); j++ {
		tt := s.toks[j].tt
		if len(open) == 0 {
			switch tt {
			case css.LeftBraceToken:
				return j, true
			case css.SemicolonToken:
				return j + 1, false
			case css.RightBraceToken:
				if !top {
					return j, false
				}
			}
		}
		open.step(tt)
	}
	return len(s.toks), false
}

func (s *sheet) copyAll(i, end int) {
	for ; i < end; i++ {
		s.copy(i)
	}
}

// statement copies an at-rule without a block; of an import the first string
// or url is an address.
func (s *sheet) statement(i, end int, kind atKind) {
	if kind != importing {
		s.copyAll(i, end)
		return
	}
	for ; i < end; i++ {
		address, ok := "", false
		switch s.toks[i].tt {
		case css.StringToken:
			address, ok = s.moveString(i), true
		case css.URLToken:
			address, ok = s.moveURL(i), true
		case css.BadURLToken:
			if address, ok = s.moveModified(i); !ok {
				continue
			}
		case css.FunctionToken:
			if s.function(i) == "url" {
				address, i = s.escapedURL(i, end)
				ok = true
			}
		}
		if ok {
			if s.imports != nil {
				s.imports(address, s.conditions(i+1, end))
			}
			s.copyAll(i+1, end)
			return
		}
		s.copy(i)
	}
}

// conditions is what stands behind the address of an import: layer, supports
// and media.
func (s *sheet) conditions(i, end int) string {
	if i >= end {
		return ""
	}
	return strings.TrimSpace(strings.TrimSuffix(s.src[s.toks[i].from:s.toks[end-1].to], ";"))
}

// scopePrelude rewrites the selectors in the parentheses of @scope.
func (s *sheet) scopePrelude(i, end int) {
	for i < end {
		s.copy(i)
		if s.toks[i].tt != css.LeftParenthesisToken {
			i++
			continue
		}
		close := min(s.skip(i), end)
		s.selectors(i+1, close, fresh)
		i = close
	}
}
