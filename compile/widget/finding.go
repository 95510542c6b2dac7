package widget

import (
	"strconv"

	"vitrine/internal/shop"
)

// Status is the effect of one path of a list of sections.
type Status string

// The statuses (document 1, section 1).
const (
	Applied Status = "applied"
	Ignored Status = "ignored"
	Unknown Status = "unknown"
)

// Values lists the statuses as texts.
func (Status) Values() []string { return shop.Texts([]Status{Applied, Ignored, Unknown}) }

// Finding is the answer about one path.
type Finding struct {
	Path    string `json:"path"` // sections[0].payload.props.listing.limit
	Status  Status `json:"status"`
	Detail  string `json:"detail,omitempty"`
	Allowed []any  `json:"allowed,omitempty"` // valid values in place of an unknown one
	Drawn   any    `json:"drawn,omitempty"`   // the value that is drawn instead
}

// MaxFindings is the maximum number of listed paths; the counts include all.
const MaxFindings = 1000

// Report is the answer about a list of sections.
type Report struct {
	Findings  []Finding `json:"result"` // in the order of the list, names sorted
	Applied   int       `json:"applied"`
	Ignored   int       `json:"ignored"`
	Unknown   int       `json:"unknown"`
	Truncated bool      `json:"truncated"` // more than MaxFindings paths
}

func (r *Report) add(f Finding) {
	switch f.Status {
	case Applied:
		r.Applied++
	case Ignored:
		r.Ignored++
	case Unknown:
		r.Unknown++
	}
	if len(r.Findings) == MaxFindings {
		r.Truncated = true
		return
	}
	r.Findings = append(r.Findings, f)
}

func (r *Report) applied(at, detail string) {
	r.add(Finding{Path: at, Status: Applied, Detail: detail})
}
func (r *Report) ignored(at, detail string) {
	r.add(Finding{Path: at, Status: Ignored, Detail: detail})
}
func (r *Report) unknown(at, detail string) {
	r.add(Finding{Path: at, Status: Unknown, Detail: detail})
}
func (r *Report) miss(at string, f Finding) { f.Path, f.Status = at, Unknown; r.add(f) }
func (r *Report) clamped(at string, to any, detail string) {
	r.add(Finding{Path: at, Status: Applied, Detail: detail, Drawn: to})
}

// maxName limits how much of a caller's name is repeated in a path.
const maxName = 64

// field appends a name to a path. Names that are not identifiers are quoted.
func field(at, name string) string {
	plain := name != "" && len(name) <= maxName
	for i := 0; plain && i < len(name); i++ {
		c := name[i]
		plain = c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && (c == '-' || c >= '0' && c <= '9')
	}
	if plain {
		return at + "." + name
	}
	return at + "[" + strconv.Quote(shop.Shorten(name, maxName)) + "]"
}

// entry appends an index to a path.
func entry(at string, i int) string { return at + "[" + strconv.Itoa(i) + "]" }
