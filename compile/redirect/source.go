package redirect

import (
	"strings"

	"vitrine/internal/shop"
)

// maxStars is the maximum number of stars in a mask (document 3, 4.5).
const maxStars = 9

// ErrInvalidSource refuses a source that is not a path, has a query or violates the grammar of
// masks (document 3, section 7).
var ErrInvalidSource = shop.Refuse(shop.InvalidArgument, "REDIRECT_INVALID_SOURCE").When("from is not a path, mask or prefix")

// piece is the type of a segment of a source.
type piece uint8

const (
	literal piece = iota
	star          // before*after
	rest          // **, the last segment
)

// segment is one segment of a source, in key form. A literal is stored in before.
type segment struct {
	piece         piece
	before, after string
}

// source is a parsed source.
type source struct {
	key      string
	segments []segment
	stars    int
}

// parseSource parses a source of any kind; a holds the source's address afterwards. Errors are
// ErrInvalidSource.
func parseSource(a *Address, from string) (source, error) {
	if !strings.HasPrefix(from, "/") {
		return source{}, ErrInvalidSource.With("a source is a path that begins with /")
	}
	if strings.ContainsAny(from, "?#") {
		return source{}, ErrInvalidSource.With("a source has no query and no fragment; use query_match, or %3F and %23")
	}
	if err := a.Parse(from); err != nil {
		return source{}, ErrInvalidSource.With(err.Error())
	}
	if a.Dots {
		return source{}, ErrInvalidSource.With("segments . and .. match no address")
	}
	src := source{key: string(a.Key), segments: make([]segment, 0, a.segments())}
	for i := range a.segments() {
		seg, err := parseSegment(a, src.key, i)
		if err != nil {
			return source{}, err
		}
		if seg.piece != literal {
			src.stars++
		}
		src.segments = append(src.segments, seg)
	}
	if src.stars > maxStars {
		return source{}, ErrInvalidSource.With("a mask has at most 9 stars")
	}
	return src, nil
}

func parseSegment(a *Address, key string, i int) (segment, error) {
	start, end := int(a.cuts[i])+1, int(a.cuts[i+1])
	first, stars := 0, 0
	for j := start; j < end; j++ {
		if a.Path[a.place(j)] != '*' { // %2A is a literal star
			continue
		}
		if stars == 0 {
			first = j
		}
		stars++
	}
	switch {
	case stars == 0:
		return segment{before: key[start:end]}, nil
	case stars == 1:
		return segment{star, key[start:first], key[first+1 : end]}, nil
	case stars == 2 && end-start == 2 && i == a.segments()-1:
		return segment{piece: rest}, nil
	}
	return segment{}, ErrInvalidSource.With("one star in a segment; ** only as the whole last segment")
}

// tailed reports whether the source has the form of a prefix: exactly one star, which is the
// whole last segment.
func (s source) tailed() bool {
	return s.stars == 1 && s.segments[len(s.segments)-1] == segment{piece: star}
}

// html reports whether the source is a .html address, so that its rule answers at the .html hop
// (document 3, 4.5).
func (s source) html() bool { return strings.HasSuffix(s.key, ".html") }

// identity returns the key with literal stars marked, so that /a*%2A and /a%2A* differ.
func (s source) identity() string {
	if s.stars == 0 {
		return s.key
	}
	var b strings.Builder
	for _, seg := range s.segments {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(seg.before, "*", "\x01"))
		switch seg.piece {
		case star:
			b.WriteByte('*')
		case rest:
			b.WriteString("**")
		}
		b.WriteString(strings.ReplaceAll(seg.after, "*", "\x01"))
	}
	return b.String()
}
