package feed

// basic is the class of a value for comparisons.
type basic uint8

const (
	basicNone basic = iota
	basicBool
	basicInt
	basicUint
	basicFloat
	basicText
)

var basicOf = [...]basic{
	kindBool: basicBool, kindInt: basicInt, kindByte: basicUint, kindFloat: basicFloat, kindText: basicText,
	kindOffers: basicNone,
}

// comparison is a pair of values of one class. Integers and bytes are one class.
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

// newComparison pairs two values. fault says why they cannot be compared.
func newComparison(a, b value) (c comparison, fault string) {
	ka, kb := basicOf[a.kind], basicOf[b.kind]
	whole := func(k basic) bool { return k == basicInt || k == basicUint }
	if ka != kb && !(whole(ka) && whole(kb)) || a.kind >= kindRecord || b.kind >= kindRecord {
		return c, "cannot compare " + a.kind.String() + " and " + b.kind.String()
	}
	return comparison{a, b, ka}, ""
}

// compareEqual implements eq: whether the first argument equals one of the others.
// Comparing a value with a missing one is false and no error.
func compareEqual(r *run, line int, args []value) value {
	if len(args) == 1 {
		r.fail(line, "eq needs at least two arguments")
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
	c, fault := newComparison(a, b)
	if fault == "" && c.basic == basicNone && (isList(a.kind) || isList(b.kind)) {
		fault = "lists cannot be compared"
	}
	if fault != "" {
		r.fail(line, "%s", fault)
	}
	return c.equal()
}

func isList(k kind) bool {
	return k == kindList || k == kindItems || k == kindCategories || k == kindOffers
}

// compare returns the function of an ordering operator.
func compare(holds func(comparison) bool) func(*run, int, []value) value {
	return func(r *run, line int, args []value) value {
		c, fault := newComparison(args[0], args[1])
		if fault == "" && (c.basic == basicNone || c.basic == basicBool) {
			fault = args[0].kind.String() + " has no order"
		}
		if fault != "" {
			r.fail(line, "%s", fault)
		}
		return boolean(holds(c))
	}
}
