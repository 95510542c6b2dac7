package redirect

import (
	"strings"

	"vitrine/internal/shop"
)

// Limits of a target. A star may be used more than once, but a Location must not grow without
// bound from one long address.
const (
	maxTarget     = 8192
	maxReferences = 18
)

// Refusals of a target (document 3, section 7).
var (
	ErrInvalidTarget      = shop.Refuse(shop.InvalidArgument, "REDIRECT_INVALID_TARGET").When("to is neither a path nor an address")
	ErrExternalNotAllowed = shop.Refuse(shop.InvalidArgument, "REDIRECT_EXTERNAL_NOT_ALLOWED").When("to leads off the shop and the rule is not external")
)

// part is a run of literal text, escaped for the Location, or a star.
type part struct {
	text string
	star int // 1 to 9; 0 for text
}

// target is a parsed target. A stray "?" or "#" is dropped.
type target struct {
	external              bool
	path, query, fragment []part
}

// parseTarget parses a target. stars is the number of stars that $n may refer to; scratch is
// overwritten. Errors are ErrInvalidTarget and ErrExternalNotAllowed.
func parseTarget(scratch *Address, to string, external bool, stars int) (target, error) {
	if len(to) > maxTarget {
		return target{}, ErrInvalidTarget.With("the target is longer than 8192 bytes")
	}
	if strings.ContainsFunc(to, isControl) {
		return target{}, ErrInvalidTarget.With("the target holds a control character")
	}
	beforeFragment, fragment, _ := strings.Cut(to, "#")
	path, query, _ := strings.Cut(beforeFragment, "?")
	origin, err := targetOrigin(path, external)
	if err != nil {
		return target{}, err
	}
	path = path[originLength(path):]
	t := target{external: origin != ""}
	if err := checkTargetPath(scratch, path, t.external); err != nil {
		return target{}, err
	}
	if err := t.split(origin, path, query, fragment, stars); err != nil {
		return target{}, err
	}
	return t, nil
}

// split fills the parts and checks the stars they refer to.
func (t *target) split(origin, path, query, fragment string, stars int) error {
	if !t.external {
		path = collapse(path)
	}
	t.path = parts(path, inPath)
	if origin != "" {
		t.path = append([]part{{text: origin}}, t.path...)
	}
	t.query, t.fragment = parts(query, inTargetQuery), parts(fragment, inFragment)
	references := 0
	for _, zone := range [][]part{t.path, t.query, t.fragment} {
		for _, p := range zone {
			if p.star > stars {
				return ErrInvalidTarget.With("the source has no such star as the target names; a literal $ is %24")
			}
			if p.star > 0 {
				references++
			}
		}
	}
	if references > maxReferences {
		return ErrInvalidTarget.With("the target names stars more than 18 times")
	}
	return nil
}

// targetOrigin returns the scheme and host of an absolute target in the form for the Location,
// and "" for a path of the shop.
func targetOrigin(path string, external bool) (string, error) {
	n := originLength(path)
	switch {
	case n == 0 && !strings.HasPrefix(path, "/"):
		return "", ErrInvalidTarget.With("a target is a path that begins with / or an http(s) address")
	case n == 0:
		return "", nil
	case !external:
		return "", ErrExternalNotAllowed.With("an absolute target needs external: true")
	}
	scheme, authority, _ := strings.Cut(path[:n], "://")
	host, ok := canonicalAuthority(authority)
	if !ok {
		return "", ErrInvalidTarget.With("the host of the target is not valid")
	}
	return strings.ToLower(scheme) + "://" + host, nil
}

// originLength returns the length of "http://host:port" at the start of an absolute target, or 0.
// A backslash does not end the host here, so that a host with one is refused.
func originLength(path string) int {
	scheme, after, ok := strings.Cut(path, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return 0
	}
	n := len(scheme) + len("://")
	if i := strings.IndexByte(after, '/'); i >= 0 {
		return n + i
	}
	return len(path)
}

// checkTargetPath refuses paths that could be interpreted as another host or another path.
func checkTargetPath(scratch *Address, path string, external bool) error {
	if strings.Contains(path, `\`) {
		return ErrInvalidTarget.With(`a target has no \ in its path; use %5C`)
	}
	if external && path == "" {
		return nil
	}
	if !external && strings.HasPrefix(path, "//") {
		return ErrInvalidTarget.With("a target may not begin with //")
	}
	if err := scratch.Parse(path); err != nil {
		return ErrInvalidTarget.With(err.Error())
	}
	if scratch.Dots && !external {
		return ErrInvalidTarget.With("the target has a segment . or ..")
	}
	return nil
}

// parts splits a zone of a target into text and stars. keep reports which bytes are not escaped;
// existing escapes are always kept.
func parts(zone string, keep func(byte) bool) []part {
	var out []part
	var text []byte
	for i := 0; i < len(zone); i++ {
		c := zone[i]
		if c == '$' && i+1 < len(zone) && '1' <= zone[i+1] && zone[i+1] <= '9' {
			if len(text) > 0 {
				out = append(out, part{text: string(text)})
				text = text[:0]
			}
			out = append(out, part{star: int(zone[i+1] - '0')})
			i++
			continue
		}
		text = appendEscaped(text, c, keep(c) || c == '%')
	}
	if len(text) > 0 {
		out = append(out, part{text: string(text)})
	}
	return out
}

// collapse replaces repeated "/" by one.
func collapse(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if path[i] != '/' || i == 0 || path[i-1] != '/' {
			b.WriteByte(path[i])
		}
	}
	return b.String()
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }
