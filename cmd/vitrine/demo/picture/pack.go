package picture

import "math"

// tin is a round tea tin with a paper label.
func tin(it Item) model {
	skin := &material{base: colour(or(it.Colour, "forest")), gloss: .6}
	labelled := labelled(skin, "cream", or(it.Accent, "ink"), .28, 1.08, .72)
	body := turnedOn(outline("0 0, .43 0!, .455 .02!, .455 .05!, .445 .06!, .445 1.2!, 0 1.2"), labelled)
	lid := turnedOn(outline(".455 1.16!, .462 1.17!, .462 1.44, .45 1.47!, .4 1.475!, .39 1.46!, 0 1.46"), skin)
	return model{body, lid}
}

// pouch is a standing paper bag with a folded top.
func pouch(it Item) model {
	paper := &material{base: colour(or(it.Colour, "oat")), gloss: .06, paint: func(m *material, v *vertex) vec {
		return m.base.mul(.95 + .08*noise(v.tex.mul(11)) + .03*noise(v.tex.mul(60)))
	}}
	front := labelled(paper, "white", or(it.Accent, "ink"), .35, 1.12, 1.05)
	body := grid(48, 48, front, func(u, v float64) vec {
		s, c := math.Sincos(2 * math.Pi * u)
		square := func(x float64) float64 { return math.Copysign(math.Pow(math.Abs(x), .38), x) }
		flat := lerp(1, .06, smooth(.55, 1, v))
		foot := .92 + .08*smooth(0, .06, v)
		return vec{.52 * square(s) * foot * (1 + .03*smooth(.6, 1, v)), 1.62 * v, .3 * square(c) * flat * foot}
	})
	fold := slab(1.1, .2, .09, .03, paper).lifted(1.56)
	clip := slab(.1, .26, .13, .02, metal("brass")).lifted(1.53)
	return model{body, fold, clip}
}

func (s mesh) lifted(by float64) mesh {
	for i := range s.verts {
		s.verts[i].pos.y += by
	}
	return s
}

// jar is of glass with something in it and a wooden lid.
func jar(it Item) model {
	fill := &material{base: colour(or(it.Colour, "moss")), gloss: .2, paint: func(m *material, v *vertex) vec {
		return m.base.mul(.55 + .9*noise(v.tex.mul(24))*noise(v.tex.mul(9).add(vec{5, 0, 0})) + .25*specks(v.tex.mul(16), .5))
	}}
	inner := turnedOn(outline("0 .04, .46 .04, .5 .08, .5 .84!, .3 .89, 0 .9"), fill)
	wall := turnedOn(outline("0 0, .5 0, .55 .04, .55 1.1, .5 1.2, .5 1.26"), crystal("glass"))
	lid := turnedOn(outline("0 1.22, .55 1.22!, .57 1.25, .57 1.4, .54 1.43!, 0 1.44"), wood(or(it.Accent, "beech")))
	return model{inner, lid, wall}
}

// honey is a small jar with a paper cap tied by a string.
func honey(it Item) model {
	inner := turnedOn(outline("0 .03, .42 .03, .47 .07, .48 .68, .44 .78!, 0 .78"), &material{base: colour(or(it.Colour, "honey")), gloss: .9, glow: .3})
	wall := turnedOn(outline("0 0, .46 0, .51 .05, .51 .74, .42 .88, .42 .92"), crystal("glass"))
	cap := turnedOn(outline(".56 .74, .5 .8, .445 .87!, .45 .92, .46 1.02, .43 1.06, 0 1.07"), cloth(or(it.Accent, "cream"), "clay", 0))
	for i := range cap.verts {
		v := &cap.verts[i]
		k := 1 + .05*smooth(.88, .76, v.pos.y)*math.Sin(v.u*2*math.Pi*15)
		v.pos.x, v.pos.z = v.pos.x*k, v.pos.z*k
	}
	string := turnedOn(outline(".44 .86, .47 .875, .44 .89"), matte("red"))
	return model{inner, cap, string, wall}
}

// giftbox has a ribbon around it and a bow.
func giftbox(it Item) model {
	paper, ribbon := matte(or(it.Colour, "blush")), &material{base: colour(or(it.Accent, "forest")), gloss: .5, soft: true}
	m := model{slab(1.5, .62, 1.1, .015, paper), slab(1.56, .24, 1.16, .015, paper).lifted(.6), slab(.17, .86, 1.18, .01, ribbon), slab(1.58, .86, .17, .01, ribbon)}
	for side := -1.0; side <= 1; side += 2 {
		m = append(m, tube([]vec{{0, .88, 0}, {side * .28, 1.12, .06}, {side * .46, 1.02, .1}, {side * .3, .9, .08}, {0, .9, 0}}, 2.6, ribbon, func(t float64) float64 { return .02 + .02*math.Sin(math.Pi*t) }))
		m = append(m, tube([]vec{{0, .89, .02}, {side * .2, .91, .22}, {side * .34, .88, .4}}, 5, ribbon, even(.014)))
	}
	return append(m, turnedOn(outline("0 .86, .08 .87, .09 .93, .06 .97, 0 .98"), ribbon))
}

// soap is a bar in a paper band, on another.
func soap(it Item) model {
	bar, second := wax(or(it.Colour, "sage")), wax(or(it.Accent, "oat"))
	band := chalk("cream")
	lower := model{slab(1.15, .36, .75, .1, second), slab(.42, .375, .765, .1, band)}
	upper := model{slab(1.15, .36, .75, .1, bar), slab(.42, .375, .765, .1, band)}.moved(24, vec{.05, .37, 0})
	return append(lower, upper...)
}

// crock is a lidded pot for salt, sugar or butter.
func crock(it Item) model {
	skin := finished(it, .85)
	body := turnedOn(outline("0 0, .5 0, .55 .03, .56 .1, .56 .7, .54 .78!, 0 .78"), skin)
	lid := turnedOn(outline("0 .78, .58 .78!, .6 .8, .6 .88!, .56 .9!, 0 .9"), wood(or(it.Accent, "oak")))
	knob := turnedOn(outline("0 .9, .06 .9, .06 .95, .12 1, .11 1.06, 0 1.08"), wood(or(it.Accent, "oak")))
	return model{body, lid, knob}
}
