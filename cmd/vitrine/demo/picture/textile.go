package picture

import "math"

// cushion leans against nothing: it stands on its lower edge, turned a little.
func cushion(it Item) model {
	skin := cloth(or(it.Colour, "clay"), or(it.Accent, "cream"), .3)
	switch it.Finish {
	case "plain":
		skin = cloth(or(it.Colour, "clay"), "cream", 0)
	case "knit":
		skin = knitted(or(it.Colour, "oat"))
	}
	lying := model{pillow(2, 2, .62, skin)}
	return lying.mapped(func(p vec) vec { return vec{p.x, p.z, -p.y}.add(vec{0, 1, .31}) }, func(n vec) vec { return vec{n.x, n.z, -n.y} }).nodded(12)
}

// nodded leans the model back.
func (m model) nodded(degrees float64) model {
	return m.moved(-90, vec{}).tipped(-degrees).moved(90, vec{})
}

// folds is a stack of folded cloth, the rounded folds to the front.
func folds(w, d, thick float64, layers int, mat *material) (m model) {
	for i := range layers {
		wide := w * (1 - .012*float64(i%3))
		sheet := slab(wide, thick, d*(1-.015*float64(i%2)), thick*.49, mat).lifted(float64(i) * thick * .94)
		for j := range sheet.verts {
			p := &sheet.verts[j].pos
			p.y += .02*math.Sin(p.x*2.6+float64(i)) + .012*math.Sin(p.z*3.1+2*float64(i))
			sheet.verts[j].tex = p.add(vec{float64(i) * .37, float64(i) * .11, 0})
		}
		m = append(m, sheet)
	}
	return m
}

// throw is a folded blanket with fringes.
func throw(it Item) model {
	skin := cloth(or(it.Colour, "oat"), or(it.Accent, "rust"), .5)
	switch it.Finish {
	case "plain":
		skin = cloth(or(it.Colour, "oat"), "cream", 0)
	case "knit":
		skin = knitted(or(it.Colour, "oat"))
	}
	m := folds(2.1, 1.4, .2, 4, skin)
	thread := cloth(or(it.Colour, "oat"), "cream", 0)
	for i := range 20 {
		x := -.98 + 1.96*float64(i)/19
		sway := .03 * math.Sin(float64(i)*2.1)
		m = append(m, tube([]vec{{x, .6, .68}, {x + sway, .58, .76}, {x + 2*sway, .36, .79}}, 1, thread, even(.022)))
	}
	return m
}

// towels is a pile of two colours.
func towels(it Item) model {
	first := cloth(or(it.Colour, "white"), or(it.Accent, "dusk"), 0)
	second := cloth(or(it.Accent, "dusk"), "white", 0)
	return append(folds(1.9, 1.3, .24, 2, first), folds(1.84, 1.26, .24, 2, second).moved(3, vec{0, .46, 0})...)
}

// napkins is a low pile with a ribbon around it.
func napkins(it Item) model {
	m := folds(1.5, 1.5, .09, 4, cloth(or(it.Colour, "cream"), or(it.Accent, "moss"), .42))
	return append(m, slab(.16, .4, 1.56, .03, cloth(or(it.Accent, "moss"), "cream", 0)))
}

// basket is woven, with two grips.
func basket(it Item) model {
	skin := woven(or(it.Colour, "bamboo"))
	body := turnedOn(outline("0 0, .6 0, .66 .05, .8 .5, .82 .95, .8 1.06, .77 1.04, .76 .9, .7 .3, .5 .1, 0 .09"), skin)
	rope := matte(or(it.Accent, "oat"))
	rim := turnedOn(outline(".8 1, .86 1.03, .84 1.09, .79 1.1, .76 1.05, .8 1"), skin)
	m := model{body, rim}
	for side := -1.0; side <= 1; side += 2 {
		m = append(m, tube([]vec{{side * .8, .92, -.26}, {side * .98, 1.14, -.2}, {side * 1, 1.22, 0}, {side * .98, 1.14, .2}, {side * .8, .92, .26}}, 1, rope, even(.05)))
	}
	return m
}
