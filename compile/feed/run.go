package feed

import "io"

// maxHeld bounds the bytes of text that variables, dots and pending arguments
// hold at one time: a body of 64 KB can declare thousands of variables of 1 MB.
const maxHeld = 32 << 20

// chunk is how many bytes of output are buffered before they are written.
const chunk = 32 << 10

// run is the state of one render.
type run struct {
	catalogue *Catalogue
	options   Options
	esc       escaper
	w         io.Writer

	dot  value
	vars []value
	base int     // of the frame of the template that runs
	args []value // of the functions that are being called

	out        []byte
	sent       int64
	spillAt    int // length of out above which spill is due
	line       int // of the statement that runs
	steps      int
	nextTick   int // number of steps above which tick is due
	heldBytes  int // see hold
	builtBytes int // made by functions since the last call of Stop
	scratch    [32]byte

	selections map[string]selection
	seen       []uint64
	result     Result
	trace      *trace
}

// stopped is the panic value that ends a render from inside.
type stopped struct{ problem *Problem }

func (r *run) fail(line int, format string, args ...any) {
	panic(stopped{invalid(line, format, args...)})
}

// tickSteps is the number of steps between two calls of Options.Stop.
const tickSteps = 1024

func (r *run) tick(line int) {
	if r.steps > r.options.Steps {
		p := invalid(line, "the template does more than %d steps", r.options.Steps)
		p.Cause = OutOfSteps
		panic(stopped{p})
	}
	r.checkStop(line)
	r.nextTick = min(r.options.Steps, r.steps+tickSteps)
}

func (r *run) checkStop(line int) {
	if r.options.Stop == nil {
		return
	}
	if err := r.options.Stop(); err != nil {
		panic(stopped{&Problem{Line: line, Message: err.Error(), Code: CodeTimeout, Cause: OutOfTime, Err: err}})
	}
}

// build counts n bytes that a function is about to produce.
func (r *run) build(line, n int) {
	if r.builtBytes += n; r.builtBytes > 1<<20 {
		r.builtBytes = 0
		r.checkStop(line)
	}
}

// hold counts n bytes of text that stay reachable; a negative n releases them.
func (r *run) hold(line, n int) {
	if r.heldBytes += n; r.heldBytes > maxHeld {
		r.fail(line, "the template holds more than %d bytes of text at once", maxHeld)
	}
}

// setLine records the line of the statement that runs.
func (r *run) setLine(line int) { r.line = line }

// position returns the offset of the next byte of output.
func (r *run) position() int64 {
	return r.sent + int64(len(r.out))
}

// spill writes the buffered output. It is called when out is longer than spillAt,
// and ends the render when the output is longer than allowed.
func (r *run) spill() {
	if r.position() > int64(r.options.Bytes) {
		r.out = r.out[:int64(r.options.Bytes)-r.sent]
		r.flush()
		r.overflow()
	}
	r.flush()
}

func (r *run) overflow() {
	p := invalid(r.line, "the output is longer than %d bytes", r.options.Bytes)
	p.Cause = OutOfBytes
	panic(stopped{p})
}

func (r *run) flush() {
	r.write(r.out)
	r.out = r.out[:0]
}

func (r *run) write(b []byte) {
	if len(b) == 0 {
		return
	}
	n, err := r.w.Write(b)
	r.sent += int64(n)
	if err != nil {
		panic(stopped{&Problem{Line: r.line, Message: "the output could not be written", Code: CodeInvalid, Cause: InWriter, Err: err}})
	}
	r.spillAt = min(chunk, r.options.Bytes-int(r.sent))
}

// print writes a value, escaped for its context.
func (r *run) print(v value) {
	switch v.kind {
	case kindText:
		r.out = r.esc.text(r.out, v.s)
	case kindInt, kindByte, kindBool, kindFloat:
		r.out = r.esc.number(r.out, v.appendNumber(r.scratch[:0]))
	case kindNone:
		r.out = r.esc.none(r.out)
	case kindList:
		r.out = r.esc.list(r.out, v.ref.(list))
	default:
		r.fail(r.line, "%s cannot be printed: print one of its fields", v.kind)
	}
	if len(r.out) > r.spillAt {
		r.spill()
	}
}

func (r *run) set(line, slot int, v value) {
	old := &r.vars[r.base+slot]
	if n := len(v.s) - len(old.s); n != 0 {
		r.hold(line, n)
	}
	*old = v
}

// visit counts the distinct products that are ranged over, by index in the catalogue.
func (r *run) visit(index int64) {
	if word, bit := index>>6, uint64(1)<<(index&63); r.seen[word]&bit == 0 {
		r.seen[word] |= bit
		r.result.Items++
	}
}
