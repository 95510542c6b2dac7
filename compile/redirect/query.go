package redirect

import (
	"strings"

	"vitrine/internal/shop"
)

// maxCondition limits query_match in bytes.
const maxCondition = 2048

// ErrInvalidQuery refuses a condition that is not key=value or belongs to a rule that is not
// exact (document 3, section 7).
var ErrInvalidQuery = shop.Refuse(shop.InvalidArgument, "REDIRECT_INVALID_QUERY").When("the condition is not a name=value pair")

// checkCondition refuses conditions that no pair of a query can equal, and any condition on a
// rule that is not exact.
func checkCondition(condition string, kind Kind) error {
	if condition == "" {
		return nil
	}
	if kind != Exact {
		return ErrInvalidQuery.With("only an exact rule has a condition")
	}
	i := strings.IndexByte(condition, '=')
	if i < 1 || len(condition) > maxCondition || strings.ContainsAny(condition, "&# ") ||
		strings.ContainsFunc(condition, isControl) {
		return ErrInvalidQuery.With("a condition is one key=value pair as written in the address")
	}
	return nil
}

// AppendQuery appends target with the visitor's query merged into it, for hops without a rule:
// .html, canonical host, slug journal, fallback. The query goes after the target's own and before
// its fragment, byte for byte; names that the target already has are skipped; with drop only ad
// tags are kept (document 3, 4.5).
func AppendQuery(dst []byte, target, query string, drop bool) []byte {
	before, fragment, hasFragment := strings.Cut(target, "#")
	path, own, _ := strings.Cut(before, "?")
	dst = append(dst, path...)
	start := len(dst)
	if own != "" {
		dst = append(append(dst, '?'), own...)
	}
	dst = mergeQuery(dst, start, query, drop)
	if hasFragment && fragment != "" {
		dst = append(append(dst, '#'), fragment...)
	}
	return dst
}

// mergeQuery appends the visitor's query to dst, where dst[start:] is the target's own query with
// its "?".
func mergeQuery(dst []byte, start int, query string, drop bool) []byte {
	if query == "" {
		return dst
	}
	end := len(dst)
	if !drop && keepsAll(dst[start:end], query) {
		return appendQueryText(appendSeparator(dst, start), query)
	}
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, _, _ := strings.Cut(pair, "=")
		if name == "" || drop && !isAdTag(name) || hasName(dst[start:end], name) {
			continue
		}
		dst = appendQueryText(appendSeparator(dst, start), pair)
	}
	return dst
}

// keepsAll reports whether no name of the query occurs in the target's own, so that the query can
// be copied in one piece.
func keepsAll(own []byte, query string) bool {
	if len(own) == 0 {
		return true
	}
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if name, _, _ := strings.Cut(pair, "="); hasName(own, name) {
			return false
		}
	}
	return true
}

// hasName reports whether a query, given with its "?", has a pair with that name.
func hasName(own []byte, name string) bool {
	for len(own) > 0 {
		own = own[1:] // the "?" or "&" before the pair
		end := 0
		for end < len(own) && own[end] != '&' {
			end++
		}
		pair := own[:end]
		if len(pair) >= len(name) && string(pair[:len(name)]) == name &&
			(len(pair) == len(name) || pair[len(name)] == '=') {
			return true
		}
		own = own[end:]
	}
	return false
}

func appendSeparator(dst []byte, start int) []byte {
	if len(dst) == start {
		return append(dst, '?')
	}
	return append(dst, '&')
}

// isAdTag reports whether a query name survives drop_query. Names are compared byte for byte:
// GCLID is not an ad tag.
func isAdTag(name string) bool {
	switch name {
	case "gclid", "gbraid", "wbraid", "dclid", "yclid", "ysclid", "_openstat", "fbclid", "msclkid", "ttclid":
		return true
	}
	return strings.HasPrefix(name, "utm_")
}
