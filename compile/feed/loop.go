package feed

import "text/template/parse"

// loop is a range. Its variables are slots; -1 means that there is none.
type loop struct {
	index, element int
	line           int
	body           *block
	elseBody       *block // nil without an else
}

func (a *assembler) loop(n *parse.RangeNode) stmt {
	mark := len(a.scope)
	defer func() { a.scope = a.scope[:mark] }()
	eval := a.pipeline(n.Pipe)
	store := a.store(n.Pipe, a.line)
	l := &loop{index: -1, element: -1, line: a.line}
	if decl := n.Pipe.Decl; len(decl) > 0 {
		l.element = a.slot(decl[len(decl)-1].Ident[0])
		if len(decl) > 1 {
			l.index = a.slot(decl[0].Ident[0])
		}
	}
	l.body = a.list(n.List)
	if n.ElseList != nil {
		l.elseBody = a.list(n.ElseList)
	}
	return func(r *run) signal {
		v := eval(r)
		store(r, v)
		return l.run(r, v)
	}
}

func (l *loop) run(r *run, v value) signal {
	switch v.kind {
	case kindInt, kindByte:
		if l.index >= 0 {
			r.fail(l.line, "range over a number has one variable, not two")
		}
		if v.n > 0 {
			return l.numbers(r, v)
		}
	case kindItems:
		if s := v.ref.(selection); len(s.indexes) > 0 {
			return l.products(r, s)
		}
	case kindList, kindCategories, kindRecords, kindOffers:
		if n, _ := v.length(); n > 0 {
			return l.elements(r, &v, n)
		}
	case kindNone:
	default:
		r.fail(l.line, "range cannot go over %s", v.kind)
	}
	if l.elseBody != nil {
		return l.elseBody.run(r)
	}
	return proceed
}

// iterate runs the body for one element. stop is true after a break.
func (l *loop) iterate(r *run, i int, element value) (stop bool) {
	if l.element >= 0 {
		r.set(l.line, l.element, element)
		if l.index >= 0 {
			r.set(l.line, l.index, number(int64(i)))
		}
	}
	r.dot = element
	return l.body.run(r) == breakLoop
}

func (l *loop) numbers(r *run, v value) signal {
	before := r.dot
	for i := range v.n {
		if l.iterate(r, 0, value{kind: v.kind, n: i}) {
			break
		}
	}
	r.dot = before
	return proceed
}

func (l *loop) elements(r *run, v *value, n int) signal {
	before := r.dot
	for i := range n {
		if l.iterate(r, i, v.at(i)) {
			break
		}
	}
	r.dot = before
	return proceed
}

func (l *loop) products(r *run, s selection) signal {
	before := r.dot
	outermost := r.trace != nil && !r.trace.open
	for i := range s.indexes {
		item := s.at(i)
		r.visit(item.n)
		if outermost {
			r.trace.begin(r.position(), item.ref.(*Item).ID, l.body.line)
		}
		stop := l.iterate(r, i, item)
		if outermost {
			r.trace.end(r.position())
		}
		if stop {
			break
		}
	}
	r.dot = before
	return proceed
}
