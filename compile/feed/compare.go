package feed

// basic is the class of a value that can be compared by size.
type basic uint8

const (
	basicNone basic = iota
	basicBool
	basicInt
	basicUint
	basicFloat
	basicText
)

var basics = [...]basic{
	kindBool: basicBool, kindInt: basicInt, kindByte: basicUint, kindFloat: basicFloat, kindText: basicText,
	kindOffers: basicNone,
}

// comparison is two values of one class; numbers count as one class when they
// are whole.
type comparison struct {
	a, b  value
	basic basic
}

func (c comparison) equal() bool {
	switch c.basic {
	case basicFloat:
		return c.a.fraction() == c.b.fraction()
	case basicText:
		return c.a.s == c.b.s
	case basicNone:
		return c.a.kind == c.b.kind && c.a.ref == c.b.ref
	}
	return c.a.n == c.b.n
}

func (c comparison) less() bool {
	switch c.basic {
	case basicFloat:
		return c.a.fraction() < c.b.fraction()
	case basicText:
		return c.a.s < c.b.s
	}
	return c.a.n < c.b.n
}

// pair makes a comparison, or says why there is none.
func pair(a, b value) (c comparison, why string) {
	ka, kb := basics[a.kind], basics[b.kind]
	whole := func(k basic) bool { return k == basicInt || k == basicUint }
	if ka != kb && !(whole(ka) && whole(kb)) || a.kind >= kindRecord || b.kind >= kindRecord {
		return c, "cannot compare " + a.kind.String() + " and " + b.kind.String()
	}
	return comparison{a, b, ka}, ""
}

// compareEqual is eq: whether the first is one of the others. Something and
// nothing are not equal, and no mistake either.
func compareEqual(r *run, line int, args []value) value {
	if len(args) == 1 {
		r.fail(line, "eq wants two arguments at least")
	}
	for _, other := range args[1:] {
		if equalTo(r, line, args[0], other) {
			return boolean(true)
		}
	}
	return boolean(false)
}

func compareUnequal(r *run, line int, args []value) value {
	return boolean(!equalTo(r, line, args[0], args[1]))
}

func equalTo(r *run, line int, a, b value) bool {
	if a.kind == kindNone || b.kind == kindNone {
		return a.kind == b.kind
	}
	c, why := pair(a, b)
	if why == "" && c.basic == basicNone && (lists(a.kind) || lists(b.kind)) {
		why = "lists cannot be compared"
	}
	if why != "" {
		r.fail(line, "%s", why)
	}
	return c.equal()
}

func lists(k kind) bool {
	return k == kindList || k == kindItems || k == kindCategories || k == kindOffers
}

// compare is a comparison of two by size.
func compare(holds func(comparison) bool) func(*run, int, []value) value {
	return func(r *run, line int, args []value) value {
		c, why := pair(args[0], args[1])
		if why == "" && (c.basic == basicNone || c.basic == basicBool) {
			why = args[0].kind.String() + " has no order"
		}
		if why != "" {
			r.fail(line, "%s", why)
		}
		return boolean(holds(c))
	}
}
