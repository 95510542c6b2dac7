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

// Options bound a render and supply what a pure package lacks. Zero bounds mean
// those of the specification.
type Options struct {
	Limit int       // most products of each range, for previews; 0: no limit
	Bytes int       // of output; a render stops before it writes more
	Steps int       // each list of the template that is entered, and each node in it, is a step
	Now   time.Time // what now prints; with the time of the last change an unchanged feed keeps its bytes

	About Record // the dot at the top; nil: the root with .Shop, as in site files

	// Stop is called about every thousand steps, whether or not anything is
	// written. An error ends the render: a deadline, a cancelled call.
	Stop func() error

	Trace bool // record which line wrote which bytes, for Result.Line and Result.Product
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

// Result reports on a render, also on one that stopped.
type Result struct {
	Items    int   // distinct products that were ranged over
	Products int   // products of the catalogue
	Bytes    int64 // written
	Steps    int

	Broken   *Problem  // why the output is not well-formed; nil when it is
	Warnings []Problem // links to things that do not exist, products beyond MaxProducts

	trace *trace
}
