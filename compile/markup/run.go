package markup

import (
	"slices"
	"strconv"
)

// AppendTo draws the fragment. A fragment that would exceed MaxOutput or the limit of operations
// is left out: dst is returned unchanged.
func (p *Program) AppendTo(dst []byte, data *Data) []byte {
	start := len(dst)
	dst = slices.Grow(dst, len(p.arena)+len(p.arena)/4)
	r := run{p: p, data: data, dst: dst, limit: start + MaxOutput}
	if !r.block(0, int32(len(p.ops))) {
		return r.dst[:start]
	}
	return r.dst
}

// run is one drawing: the output so far and the current rows of the enclosing loops.
type run struct {
	p     *Program
	data  *Data
	dst   []byte
	limit int
	steps int
	loops [MaxLoops]value
}

// block draws the operations from up to end; it returns false when a limit is exceeded.
func (r *run) block(from, end int32) bool {
	for i := from; i < end; {
		o := &r.p.ops[i]
		if r.steps++; r.steps > maxSteps || len(r.dst) > r.limit {
			return false
		}
		next := i + 1
		switch o.kind {
		case opStatic:
			r.dst = append(r.dst, r.p.arena[o.from:o.to]...)
		case opHole:
			r.hole(o)
		case opImage:
			r.image(o)
		case opPage:
			r.page(o)
		case opIf:
			if truth(r.get(o.path)) == o.negated {
				next = o.end
			}
		case opFor:
			if !r.loop(o, next) {
				return false
			}
			next = o.end
		}
		i = next
	}
	return len(r.dst) <= r.limit
}

func (r *run) loop(o *op, body int32) bool {
	list := r.get(o.path)
	for n := range rows(list) {
		r.loops[o.frame] = row(list, n)
		if !r.block(body, o.end) {
			return false
		}
	}
	return true
}

// get follows a path; it returns nil when anything along it is missing.
func (r *run) get(at int32) value {
	p := &r.p.paths[at]
	if p.empty {
		return nil
	}
	var v value
	if p.root >= rootLoop {
		v = r.loops[p.root-rootLoop]
	} else {
		v = r.data.part(p.root)
	}
	for i := uint8(0); i < p.n && v != nil; i++ {
		if s := p.steps[i]; s.slot < 0 {
			v = row(v, int(s.row))
		} else {
			v = fields[s.slot].get(v)
		}
	}
	return v
}

func (r *run) hole(o *op) {
	switch v := r.get(o.path).(type) {
	case *string:
		r.dst = appendEscaped(r.dst, *v, o.ctx)
	case *int64:
		r.dst = strconv.AppendInt(r.dst, *v, 10)
	}
}

func (r *run) page(o *op) {
	address := ""
	if r.data.PageURL != nil {
		address = r.data.PageURL(o.id)
	}
	if address == "" {
		r.dst = append(r.dst, '#')
		return
	}
	r.dst = appendEscaped(r.dst, address, inAddress)
	r.dst = append(r.dst, r.p.arena[o.from:o.to]...)
}

// image draws the src attribute of a bound image, and its srcset when the value is a shop image
// that can be resized.
func (r *run) image(o *op) {
	address := ""
	if v, ok := r.get(o.path).(*string); ok {
		address = *v
	}
	if shopImage(address) {
		r.dst = appendShopImage(r.dst, address, int(o.width), o.srcset)
		return
	}
	r.dst = append(r.dst, ` src="`...)
	r.dst = appendEscaped(r.dst, address, inAddress)
	r.dst = append(r.dst, '"')
}
