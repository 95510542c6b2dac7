package picture

import "math"

// tray is round with a raised rim.
func tray(it Item) model {
	skin := wood(or(it.Colour, "oak"))
	if it.Finish != "" {
		skin = finished(it, .2)
	}
	return model{turnedOn(outline("0 0, 1.12 0, 1.18 .02, 1.24 .2, 1.22 .22, 1.19 .2, 1.12 .07!, 0 .06"), skin)}
}

// board is a serving board with a grip at the right.
func board(it Item) model {
	skin := wood(or(it.Colour, "walnut"))
	plate := slab(2.1, .13, 1.25, .06, skin)
	grip := slab(.75, .13, .34, .06, skin)
	for i := range grip.verts {
		grip.verts[i].pos.x += 1.3
		grip.verts[i].tex.x += 1.3
	}
	loop := tube([]vec{{1.52, .1, 0}, {1.66, .2, .1}, {1.8, .06, .18}, {1.72, .02, .3}}, 1, chalk("oat"), even(.022))
	return model{plate, grip, loop}
}

// spoon is a tea scoop, lying.
func spoon(it Item) model {
	skin := wood(or(it.Colour, "beech"))
	if it.Finish != "" {
		skin = finished(it, .3)
	}
	scoop := turnedOn(outline("0 0, .1 0, .26 .1, .34 .26, .335 .28, .31 .27, .24 .14, .1 .05, 0 .05"), skin)
	for i := range scoop.verts {
		p := &scoop.verts[i].pos
		p.x *= 1.25
	}
	handle := tube([]vec{{.36, .24, 0}, {.8, .3, 0}, {1.4, .26, 0}, {1.75, .2, 0}}, .6, skin, even(.06))
	return model{scoop, handle}
}

// whisk is the bamboo brush that beats matcha.
func whisk(it Item) model {
	skin := wood(or(it.Colour, "bamboo"))
	grip := turnedOn(outline("0 0, .17 0, .19 .02, .18 .3, .2 .62!, 0 .62"), skin)
	m := model{grip, turnedOn(outline(".2 .58, .215 .6, .2 .64"), matte("ink"))}
	for i := range 44 {
		s, c := math.Sincos(float64(i) * 2 * math.Pi / 44)
		r := .38
		if i%2 == 1 {
			r = .3
		}
		m = append(m, tube([]vec{{.18 * c, .58, .18 * s}, {.26 * c, .85, .26 * s}, {r * c, 1.12, r * s}, {r * .86 * c, 1.28, r * .86 * s}}, 1, skin, tapered(.018, .008)))
	}
	return m
}

// strainer is a fine sieve on a rest.
func strainer(it Item) model {
	wire := metal(or(it.Colour, "steel"))
	mesh := &material{base: wire.base, gloss: .7, metal: true, paint: func(m *material, v *vertex) vec {
		hole := math.Sin(v.u*2*math.Pi*46) * math.Sin(v.v*70)
		return m.base.mul(.55 + .45*math.Abs(hole))
	}}
	sieve := turnedOn(outline("0 .1, .2 .13, .36 .3, .42 .52, .41 .52, .34 .3, .18 .16, 0 .13"), mesh)
	rim := turnedOn(outline(".42 .5, .47 .52, .46 .56, .42 .55, .42 .5"), wire)
	handle := tube([]vec{{.44, .53, 0}, {.8, .56, 0}, {1.3, .6, 0}}, .5, wire, even(.05))
	rest := turnedOn(outline("0 0, .34 0, .36 .03, .3 .1, .3 .2, .28 .2, .26 .08, 0 .06"), wire)
	return model{sieve, rim, handle, rest}
}

// mill grinds pepper.
func mill(it Item) model {
	skin := wood(or(it.Colour, "walnut"))
	body := turnedOn(outline("0 0, .32 0, .34 .03, .34 .2, .26 .45, .22 .8, .28 1.1, .29 1.2!, 0 1.2"), skin)
	head := turnedOn(outline("0 1.22, .29 1.22!, .31 1.28, .3 1.42, .18 1.58, 0 1.62"), skin)
	knob := turnedOn(outline("0 1.6, .04 1.61, .06 1.66, .04 1.71, 0 1.72"), metal(or(it.Accent, "brass")))
	return model{body, head, knob}
}

// stool has three legs.
func stool(it Item) model {
	skin := wood(or(it.Colour, "oak"))
	seat := turnedOn(outline("0 2.2, .9 2.2, .98 2.23, .98 2.34, .92 2.38, .5 2.35, 0 2.34"), skin)
	m := model{seat}
	for i := range 3 {
		s, c := math.Sincos(float64(i)*2*math.Pi/3 + .5)
		m = append(m, tube([]vec{{.55 * c, 2.25, .55 * s}, {.7 * c, 1.1, .7 * s}, {.86 * c, 0, .86 * s}}, 1, skin, tapered(.1, .065)))
		a, b := math.Sincos(float64(i+1)*2*math.Pi/3 + .5)
		m = append(m, tube([]vec{{.74 * c, .8, .74 * s}, {.37 * (c + b), .8, .37 * (s + a)}, {.74 * b, .8, .74 * a}}, 1, skin, even(.045)))
	}
	return m
}

// brush is for dishes or crumbs: a block of wood with bristles.
func brush(it Item) model {
	skin := wood(or(it.Colour, "beech"))
	back := slab(1.7, .2, .5, .09, skin).lifted(.42)
	m := model{back}
	hair := chalk(or(it.Accent, "oat"))
	for i := range 17 {
		for j := range 5 {
			x, z := -.74+1.48*float64(i)/16, -.17+.34*float64(j)/4
			m = append(m, tube([]vec{{x, .46, z}, {x * 1.02, .2, z * 1.15}, {x * 1.04, 0, z * 1.35}}, 1, hair, tapered(.03, .042)))
		}
	}
	return m
}

// leaves is a small heap of tea.
func leaves(it Item) model {
	var m model
	dry := &material{base: colour(or(it.Colour, "moss")), gloss: .12, paint: func(m *material, v *vertex) vec { return m.base.mul(.55 + .7*noise(v.tex.mul(9))) }}
	for i := range 120 {
		a, r := hash(i, 1, 0)*2*math.Pi, .62*math.Sqrt(hash(i, 2, 0))
		s, c := math.Sincos(a)
		at := vec{r * c, .02 + .22*(1-r/.62)*hash(i, 3, 0), r * s}
		turn := hash(i, 4, 0) * 6.28
		way := vec{math.Cos(turn), .3 * (hash(i, 5, 0) - .4), math.Sin(turn)}.mul(.11 + .07*hash(i, 6, 0))
		m = append(m, tube([]vec{at.sub(way), at.add(vec{0, .03, 0}), at.add(way)}, .6, dry, even(.024)))
	}
	return m
}
