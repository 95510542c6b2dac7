package markup

import (
	"github.com/tdewolff/parse/v2/css"

	"vitrine/compile/markup/style"
)

// atRule parses an at-rule and returns the index after it.
func (s *sheet) atRule(i int, outer ancestor, declarations, top bool) int {
	start := len(s.out)
	name := style.AtName(s.Text(i))
	kind := style.Kinds[name]
	end, block := s.AtPrelude(i+1, top)
	s.begun = s.begun || block || name != "import" && name != "charset" && name != "layer"
	switch {
	case !block:
		s.statement(i, end, kind)
	case kind == style.Conditional:
		s.copyAll(i, end)
		empty := len(s.out) + len("{}")
		end = s.block(end, outer, declarations)
		if s.echo && len(s.out) <= empty {
			s.out = s.out[:start]
		}
		return end
	case kind == style.Scoping:
		s.copy(i)
		s.scopePrelude(i+1, end)
		end = s.block(end, fresh, true)
	default:
		end = min(s.Skip(end)+1, len(s.Toks))
		if kind == style.Declaring {
			s.values(i, end)
		} else {
			s.copyAll(i, end)
		}
	}
	s.forget(start)
	return end
}

func (s *sheet) copyAll(i, end int) {
	for ; i < end; i++ {
		s.copy(i)
	}
}

// statement copies an at-rule without a block; in an import the first string or url is an
// address.
func (s *sheet) statement(i, end int, kind style.Kind) {
	if kind != style.Importing {
		s.copyAll(i, end)
		return
	}
	for ; i < end; i++ {
		address, ok := "", false
		switch s.Toks[i].Type {
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
			if s.imports != nil && !s.begun {
				s.imports(address, s.Conditions(i+1, end))
			}
			s.copyAll(i+1, end)
			return
		}
		s.copy(i)
	}
}

// scopePrelude rewrites the selectors in the parentheses of @scope.
func (s *sheet) scopePrelude(i, end int) {
	for i < end {
		s.copy(i)
		if s.Toks[i].Type != css.LeftParenthesisToken {
			i++
			continue
		}
		close := min(s.Skip(i), end)
		s.selectors(i+1, close, fresh)
		i = close
	}
}
