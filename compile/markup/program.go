package markup

import "slices"

// Limits of drawing one fragment. A program that exceeds one of the last two is left out of the
// page rather than truncated.
const (
	MaxRows   = 48      // rows of products[] (document 3, section 8)
	MaxLoops  = 3       // nested loops
	MaxOutput = 4 << 20 // bytes of one fragment
	maxSteps  = 1 << 20 // operations of one fragment
)

type opKind uint8

const (
	opStatic opKind = iota
	opHole
	opImage
	opPage
	opFor
	opIf
)

// op is one operation. from and to are a range of the arena (for static, and for page the text
// after the address), end is the index of the operation after a block.
type op struct {
	kind     opKind
	ctx      context
	negated  bool
	srcset   bool // image: the author has no own srcset
	frame    uint8
	path     int32
	from, to int32
	end      int32
	id       int64
	width    int32
}

// step is one step of a path: a field by its slot or a row by its number.
type step struct {
	slot int16 // -1: row
	row  int32
}

// maxPath is the maximum number of steps after the root.
const maxPath = 6

type path struct {
	root  root
	n     uint8
	empty bool // the path names an unknown field: there is nothing to read
	steps [maxPath]step
}

// Program is a compiled fragment: the hidden head container and the wrapper. It is immutable and
// safe for concurrent use.
type Program struct {
	arena []byte
	ops   []op
	paths []path
	needs Needs
}

// Needs is the query plan of a program: the parts of Data that it reads.
type Needs struct {
	Products   int  // rows of the product list, at most MaxRows; 0: none
	Product    bool // the product of the page
	Details    bool // also its description, gallery, attributes or variants
	Menu       bool
	Category   bool
	Crumbs     bool
	Pages      []int64 // ids of svc:page/{id}, sorted
	ShopImages bool    // a bound image may be a shop image, which gets a srcset
}

// Any reports whether a program reads data at all.
func (n Needs) Any() bool {
	return n.Products > 0 || n.Product || n.Menu || n.Category || n.Crumbs || len(n.Pages) > 0
}

// Needs returns the query plan.
func (p *Program) Needs() Needs { return p.needs }

// Size returns the memory used by the program in bytes: the cost of a cache entry.
func (p *Program) Size() int {
	const opSize, pathSize = 48, 64
	return cap(p.arena) + opSize*cap(p.ops) + pathSize*cap(p.paths)
}

// builder assembles a Program. Adjacent texts become one static.
type builder struct {
	arena   []byte
	ops     []op
	paths   []path
	known   map[path]int32 // index of a path
	needs   Needs
	flushed int
}

func (b *builder) write(s string) { b.arena = append(b.arena, s...) }

// flush turns the text since the last operation into a static.
func (b *builder) flush() {
	if len(b.arena) > b.flushed {
		b.ops = append(b.ops, op{kind: opStatic, from: int32(b.flushed), to: int32(len(b.arena))})
		b.flushed = len(b.arena)
	}
}

func (b *builder) add(o op) int {
	b.flush()
	b.ops = append(b.ops, o)
	return len(b.ops) - 1
}

// open begins a block; close ends it.
func (b *builder) open(o op) int { return b.add(o) }

func (b *builder) close(at int) {
	b.flush()
	b.ops[at].end = int32(len(b.ops))
}

// page adds the address of a page with its query or fragment.
func (b *builder) page(id int64, tail []byte) {
	b.flush()
	from := len(b.arena)
	b.arena = append(b.arena, tail...)
	b.flushed = len(b.arena)
	b.ops = append(b.ops, op{kind: opPage, id: id, from: int32(from), to: int32(len(b.arena))})
	b.needs.Pages = append(b.needs.Pages, id)
}

// use registers a path and records what it reads.
func (b *builder) use(p path) int32 {
	if !p.empty {
		b.needs.note(p)
	}
	at, ok := b.known[p]
	if !ok {
		if b.known == nil {
			b.known = map[path]int32{}
		}
		at = int32(len(b.paths))
		b.known[p] = at
		b.paths = append(b.paths, p)
	}
	return at
}

func (n *Needs) note(p path) {
	switch p.root {
	case rootProducts:
		rows := MaxRows
		if p.n > 0 && p.steps[0].slot < 0 {
			rows = min(int(p.steps[0].row)+1, MaxRows)
		}
		n.Products = max(n.Products, rows)
	case rootProduct:
		n.Product = true
		n.Details = n.Details || p.n > 0 && p.steps[0].slot >= 0 && details(fields[p.steps[0].slot])
	case rootMenu:
		n.Menu = true
	case rootCategory:
		n.Category = true
	case rootCrumbs:
		n.Crumbs = true
	}
}

func details(f field) bool {
	return f.name == "description" || f.name == "gallery" || f.name == "attributes" || f.name == "variants"
}

func (b *builder) program() *Program {
	b.flush()
	slices.Sort(b.needs.Pages)
	b.needs.Pages = slices.Compact(b.needs.Pages)
	return &Program{
		arena: slices.Clip(b.arena), ops: slices.Clip(b.ops), paths: slices.Clip(b.paths), needs: b.needs,
	}
}
