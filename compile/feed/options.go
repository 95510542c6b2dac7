package feed

import "time"

// Bounds of one render (document 3, 4.3 and 8).
const (
	MaxBody       = 65_536   // bytes of a template
	MaxOutput     = 50 << 20 // bytes of output
	MaxPreview    = 4 << 20  // bytes after which a preview stops
	MaxSteps      = 20_000_000
	MaxSelections = 20      // different selections of products
	MaxProducts   = 50_000  // products of one range
	MaxValue      = 1 << 20 // bytes of a value that a function builds
	MaxWidth      = 1000    // width or precision of printf
	MaxTime       = 30 * time.Second
)

// Options bound a render and give it what a pure package has not. Zero bounds
// are those of the document.
type Options struct {
	Limit int       // products of each range, as previews cap them; 0 is no cap
	Bytes int       // of output; a render that would write more stops there
	Steps int       // a step is a list of the template entered, and each node in it
	Now   time.Time // what now prints; the time of the last change keeps the bytes of a feed the same

	About Record // what the dot is at the top; nil: the catalogue's shop, as in site files

	// Stop is asked every thousand steps or so, also where nothing is written.
	// What it returns ends the render: the deadline of 30 s, a call taken back.
	Stop func() error

	Trace bool // note which line wrote what, for Result.Line and Result.Product
}

func (o Options) bounded() Options {
	if o.Bytes <= 0 {
		o.Bytes = MaxOutput
	}
	if o.Steps <= 0 {
		o.Steps = MaxSteps
	}
	return o
}

// Result is what a render tells beside its output, also one that stopped.
type Result struct {
	Items    int   // distinct products that were ranged over
	Products int   // products that the catalogue had to offer
	Bytes    int64 // written
	Steps    int

	Broken   *Problem  // why the output is no whole document of its format; nil when it is
	Warnings []Problem // links that led nowhere

	trace *trace
}
