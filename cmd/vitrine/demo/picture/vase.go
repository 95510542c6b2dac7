package picture

import "math"

func vase(it Item) model {
	return model{turnedOn(outline("0 0, .3 0, .36 .04, .56 .5, .6 .8, .46 1.25, .2 1.55, .15 1.75, .2 2, .24 2.04, .22 2.05, .16 2, .1 1.75, 0 1.6"), finished(it, 2.05))}
}

// flute is tall and fluted all around.
func flute(it Item) model {
	skin := finished(it, 2.1)
	body := turnedOn(outline("0 0, .34 0, .38 .05, .4 .3, .46 1, .5 1.7, .52 2.06, .5 2.1, .46 2.05, .4 1.4, 0 1.2"), skin)
	for i := range body.verts {
		v := &body.verts[i]
		s, c := math.Sincos(v.u * 2 * math.Pi * 24)
		deep := .022 * smooth(.1, .3, v.pos.y) * smooth(2.08, 1.9, v.pos.y)
		out := vec{v.pos.x, 0, v.pos.z}.unit()
		v.pos = v.pos.add(out.mul(deep * c))
		v.nrm = v.nrm.add(vec{-out.z, 0, out.x}.mul(-.8 * s * smooth(0, .02, deep))).unit()
	}
	return model{body}
}

// moonvase is a sphere with a small mouth.
func moonvase(it Item) model {
	return model{turnedOn(outline("0 0, .3 0, .36 .03, .68 .36, .78 .78, .68 1.2, .4 1.46, .22 1.54, .2 1.62, .25 1.68, .23 1.69, .17 1.64, .16 1.5, 0 1.4"), finished(it, 1.69))}
}

// sprig is a vase with branches of eucalyptus.
func sprig(it Item) model {
	pot := moonvase(it)
	if it.Finish == "" {
		pot = moonvase(Item{Colour: it.Colour, Finish: "matte"})
	}
	green := colour(or(it.Accent, "sage"))
	leaf := &material{base: green, gloss: .2, soft: true, paint: func(m *material, v *vertex) vec { return m.base.mul(.85 + .3*v.v) }}
	return append(pot, branches(1.6, leaf, [][2]float64{{-.75, 1.5}, {.15, 1.9}, {.8, 1.35}})...)
}

// branches grow from above the axis to places to the side, with pairs of leaves.
func branches(from float64, leaf *material, ends [][2]float64) (m model) {
	stem := &material{base: leaf.base.mul(.55), gloss: .1}
	for k, e := range ends {
		deep := .35 * math.Sin(float64(k)*2.3+1)
		way := []vec{{0, from - .3, 0}, {e[0] * .15, from + e[1]*.3, deep * .2}, {e[0] * .5, from + e[1]*.7, deep * .6}, {e[0], from + e[1], deep}}
		m = append(m, tube(way, 1, stem, tapered(.022, .01)))
		const pairs = 8
		for i := range pairs {
			at, along := on(way, .3+.7*float64(i)/(pairs-1))
			for side := -1.0; side <= 1; side += 2 {
				turn := float64(i)*1.1 + float64(k)
				out := along.cross(vec{math.Sin(turn), .2, math.Cos(turn)}).unit().mul(side)
				long := lerp(.5, .26, float64(i)/pairs)
				tip := at.add(out.mul(long)).add(along.mul(long * .55))
				bend := at.mix(tip, .5).add(vec{0, .05, 0})
				m = append(m, blade([]vec{at, bend, tip}, long*.3, along.cross(out), leaf))
			}
		}
	}
	return m
}

// planter is a pot with a leafy plant.
func planter(it Item) model {
	skin := finished(it, 1)
	pot := turnedOn(outline("0 0, .46 0, .52 .04, .6 .5, .66 .96, .65 1, .6 1, .57 .9, .56 .84!, 0 .84"), skin)
	earth := turnedOn([]knot{{.58, .86, true}, {0, .9, false}}, chalk("walnut"))
	green := &material{base: colour(or(it.Accent, "leaf")), gloss: .45, soft: true, paint: func(m *material, v *vertex) vec {
		vein := smooth(.06, .02, math.Abs(v.u-.5))
		return m.base.mul(.8+.3*v.v).mix(m.base.mul(1.6), .35*vein)
	}}
	m := model{pot, earth}
	const count = 17
	for i := range count {
		a := float64(i) * 2.39996
		long := lerp(1.5, .8, float64(i)/count)
		reach := lerp(.25, 1.05, float64(i)/count)
		s, c := math.Sincos(a)
		root := vec{.1 * c, .86, .1 * s}
		m = append(m, blade([]vec{root, {.45 * reach * c, .86 + long*.62, .45 * reach * s}, {.85 * reach * c, .86 + long*.85, .85 * reach * s}, {1.15 * reach * c, .8 + long*.72, 1.15 * reach * s}}, .19, vec{-s, 0, c}, green))
	}
	return m
}
