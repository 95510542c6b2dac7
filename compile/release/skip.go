package release

// Skip is a path that was left out and the reason: ReasonIgnored and its siblings.
type Skip struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Skipped lists what was left out, in order. Folders of a ZIP and metadata of operating systems
// are not listed.
type Skipped []Skip

// The reasons of a Skip.
const (
	ReasonIgnored = "ignored" // by a pattern
	ReasonEmpty   = "empty"   // zero bytes; site folders do not store empty files
	ReasonLink    = "link"    // a symbolic link
	ReasonSpecial = "special" // a device, socket or pipe
)
