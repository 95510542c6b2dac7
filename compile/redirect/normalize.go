package redirect

import (
	"strings"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// MaxNote is the maximum length of a note in characters (document 3, 2.6).
const MaxNote = 500

// Refusals of plain fields. Their details begin with the name of the field.
var (
	ErrInvalidCode = shop.ErrInvalidRequest.At("code").With("301 or 302")
	ErrInvalidKind = shop.ErrInvalidRequest.At("kind").With("exact, pattern or prefix")
	ErrInvalidNote = shop.ErrInvalidRequest.At("note").With("at most 500 characters")
)

// Normalize checks a rule before it is stored and sets defaults: code 301, and the kind derived
// from its source. An absolute target needs External; a path clears it. A note becomes one line.
// The caller, who has the whole set, checks for service paths, duplicates and loops.
func Normalize(in Rule) (Rule, error) {
	r := in
	if r.Code == 0 {
		r.Code = 301
	}
	if r.Code != 301 && r.Code != 302 {
		return Rule{}, ErrInvalidCode
	}
	r.Note = oneLine(r.Note)
	if utf8.RuneCountInString(r.Note) > MaxNote {
		r.Note = strings.TrimSpace(r.Note)
	}
	if utf8.RuneCountInString(r.Note) > MaxNote {
		return Rule{}, ErrInvalidNote
	}
	var scratch Address
	src, err := parseSource(&scratch, r.From)
	if err != nil {
		return Rule{}, shop.At(err, "from_path")
	}
	if r.Kind, err = kindOf(r, src); err != nil {
		return Rule{}, err
	}
	if src.key == "/" && !r.OverrideLive {
		return Rule{}, ErrInvalidSource.At("from_path").With("the home page always exists: a rule for / needs override_live")
	}
	t, err := parseTarget(&scratch, r.To, r.External, r.Kind.references(src))
	if err != nil {
		return Rule{}, shop.At(err, "to_target")
	}
	r.External = t.external
	r.QueryMatch = strings.TrimLeft(r.QueryMatch, "?")
	if err := checkCondition(r.QueryMatch, r.Kind); err != nil {
		return Rule{}, shop.At(err, "query_match")
	}
	return r, nil
}

// kindOf derives the kind of a source, or checks the given one.
func kindOf(r Rule, src source) (Kind, error) {
	switch r.Kind {
	case "":
		switch {
		case src.stars == 0:
			return Exact, nil
		case src.tailed() && !strings.Contains(r.To, "$1"):
			return Prefix, nil
		}
		return Pattern, nil
	case Exact, Pattern, Prefix:
		if r.Kind.fits(src) {
			return r.Kind, nil
		}
		return "", ErrInvalidSource.At("kind").With("the source is not of kind " + string(r.Kind))
	}
	return "", ErrInvalidKind
}

// fits reports whether a source may be of the kind: /goods/* is a prefix or a mask, every other
// source has one kind.
func (k Kind) fits(src source) bool {
	switch k {
	case Exact:
		return src.stars == 0
	case Pattern:
		return src.stars > 0
	case Prefix:
		return src.tailed()
	}
	return false
}

// references returns the number of stars a target may name. The star of a prefix is its tail,
// which is appended to the target implicitly.
func (k Kind) references(src source) int {
	if k == Pattern {
		return src.stars
	}
	return 0
}

// oneLine makes text fit a line of an export: valid UTF-8, control characters replaced by spaces.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
