package release

// Skip is a path that was left out, and why: ReasonIgnored and its siblings.
type Skip struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Skipped is what was left out, in the order met. Folders of a ZIP and
// metadata of operating systems are not listed.
type Skipped []Skip

// The reasons of a Skip.
const (
	ReasonIgnored = "ignored" // by a pattern
	ReasonEmpty   = "empty"   // zero bytes, which site folders do not keep
	ReasonLink    = "link"    // a symbolic link
	ReasonSpecial = "special" // a device, socket or pipe
)
