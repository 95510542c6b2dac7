package feed

import "io"

// maxHeld bounds the bytes of texts that variables, dots and waiting arguments
// hold at one time: a body of 64 KB has room for thousands of variables of 1 MB.
const maxHeld = 32 << 20

// chunk is how much output is gathered before it is written.
const chunk = 32 << 10

// run is one render.
type run struct {
	catalogue *Catalogue
	options   Options
	esc       escaper
	w         io.Writer

	dot  value
	vars []value
	base int     // of the frame of the template that runs
	args []value // of the functions that are being called

	out     []byte
	sent    int64
	high    int // len(out) above which there is something to do
	line    int // of the statement that runs
	steps   int
	due     int // steps at which tick has something to do
	held    int
	built   int // bytes made by functions since Stop was asked
	scratch [32]byte

	selections map[string]selection
	seen       []uint64
	result     Result
	trace      *trace
}

// stopped is what ends a render from inside.
type stopped struct{ problem *Problem }

func (r *run) fail(line int, format string, args ...any) {
	panic(stopped{invalid(line, format, args...)})
}

// Steps between two questions to Options.Stop.
const tickSteps = 1024

func (r *run) tick(line int) {
	if r.steps > r.options.Steps {
		p := invalid(line, "the template does more than %d steps", r.options.Steps)
		p.Cause = OutOfSteps
		panic(stopped{p})
	}
	r.ask(line)
	r.due = min(r.options.Steps, r.steps+tickSteps)
}

func (r *run) ask(line int) {
	if r.options.Stop == nil {
		return
	}
	if err := r.options.Stop(); err != nil {
		panic(stopped{&Problem{Line: line, Message: err.Error(), Code: CodeTimeout, Cause: OutOfTime, Err: err}})
	}
}

// build accounts for n bytes that a function is about to make.
func (r *run) build(line, n int) {
	if r.built += n; r.built > 1<<20 {
		r.built = 0
		r.ask(line)
	}
}

// hold accounts for a text that stays reachable; a negative n gives back.
func (r *run) hold(line, n int) {
	if r.held += n; r.held > maxHeld {
		r.fail(line, "the template holds more than %d bytes of text at once", maxHeld)
	}
}

// at says which line works now.
func (r *run) at(line int) { r.line = line }

// position is where the next byte of output will stand.
func (r *run) position() int64 {
	return r.sent + int64(len(r.out))
}

// spill is called when out is longer than high.
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
	r.high = min(chunk, r.options.Bytes-int(r.sent))
}

// print writes a value where the output stands.
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
	if len(r.out) > r.high {
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

// visit counts the products that were ranged over.
func (r *run) visit(place int64) {
	if word, bit := place>>6, uint64(1)<<(place&63); r.seen[word]&bit == 0 {
		r.seen[word] |= bit
		r.result.Items++
	}
}
