package push

import (
	"fmt"
	"strings"

	"vitrine/compile/inspect"
	"vitrine/internal/shop"
)

type kind uint8

const (
	page kind = iota + 1
	document
	site
	layout
)

var kindNames = map[string]kind{"page": page, "doc": document, "site": site, "theme": layout}

// Target is the destination of a push.
type Target struct {
	kind kind
	path string     // of a page, a path of slugs; "/" is the home page
	id   shop.Int64 // of all other kinds
}

// ParseTarget parses page:/slug, doc:ID, site:SECTION_ID or theme:ID. The segments of a page
// must be valid slugs.
func ParseTarget(text string) (Target, error) {
	name, rest, _ := strings.Cut(text, ":")
	t := Target{kind: kindNames[name]}
	switch {
	case t.kind == 0:
		return Target{}, fmt.Errorf("%w, not %q", ErrTarget, text)
	case t.kind == page:
		var err error
		t.path, err = pagePath(rest)
		return t, err
	}
	if err := t.id.UnmarshalText([]byte(rest)); err != nil || t.id <= 0 || strings.Contains(rest, `"`) {
		return Target{}, fmt.Errorf("%w: %q is not an id", ErrTarget, rest)
	}
	return t, nil
}

func pagePath(text string) (string, error) {
	if !strings.HasPrefix(text, "/") {
		return "", fmt.Errorf("%w: the path %q does not begin with /", ErrTarget, text)
	}
	if strings.ContainsAny(text, "?#") {
		return "", fmt.Errorf("%w: the path %q has a query or a fragment", ErrTarget, text)
	}
	path := ""
	for _, segment := range segments(text) {
		slug, err := shop.ParseSlug(segment)
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrTarget, err)
		}
		path += "/" + slug
	}
	return max(path, "/"), nil
}

// segments splits a path at slashes; the home page has none.
func segments(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// document is the id of a doc: target.
func (t Target) document() shop.DocumentID {
	if t.kind != document {
		return 0
	}
	return shop.DocumentID(t.id)
}

// inspected is the kind of inspection when the target is published.
func (t Target) inspected() inspect.Kind {
	switch t.kind {
	case site:
		return inspect.Folder
	case layout:
		return inspect.Layout
	}
	return inspect.Document
}
