package picture

import "math"

// teapot is round, with its spout at the right.
func teapot(it Item) model {
	skin := finished(it, 1.15)
	body := turnedOn(outline("0 0, .42 0, .5 .04, .72 .3, .8 .6, .7 .92, .45 1.1, .34 1.13!, .33 1.1, 0 1.08"), skin)
	lid := turnedOn(outline("0 1.1, .36 1.12!, .37 1.15, .3 1.2, .12 1.25, .06 1.28, .06 1.32, .11 1.37, .11 1.43, .06 1.47, 0 1.475"), skin)
	spout := tube([]vec{{.62, .42, 0}, {.88, .52, 0}, {1.04, .78, 0}, {1.2, 1.05, 0}}, 1, skin, tapered(.2, .075))
	handle := tube([]vec{{-.6, .95, 0}, {-.9, 1.08, 0}, {-1.14, .9, 0}, {-1.12, .56, 0}, {-.94, .3, 0}, {-.7, .3, 0}}, .75, skin, tapered(.075, .065))
	return model{body, lid, spout, handle}
}

// kyusu is the Japanese pot with a handle at its side.
func kyusu(it Item) model {
	skin := finished(it, .85)
	body := turnedOn(outline("0 0, .5 0, .58 .04, .74 .3, .74 .52, .6 .74, .42 .82!, .41 .8, 0 .78"), skin)
	lid := turnedOn(outline("0 .8, .45 .81!, .46 .84, .36 .88, .1 .92, .07 .95, .12 1.0, .12 1.05, .06 1.09, 0 1.095"), skin)
	spout := tube([]vec{{-.6, .42, 0}, {-.82, .52, 0}, {-1.0, .74, 0}, {-1.04, .86, 0}}, 1, skin, tapered(.17, .09))
	handle := tube([]vec{{0, .5, .62}, {0, .58, .95}, {0, .68, 1.4}}, 1, skin, func(t float64) float64 { return lerp(.1, .15, t) * math.Sqrt(clamp((1-t)/.1, 0, 1)) })
	return model{body, lid, spout, handle}.moved(86, vec{})
}

// kettle is of metal, with a bow over the top.
func kettle(it Item) model {
	skin, grip := metal(or(it.Colour, "steel")), wood(or(it.Accent, "walnut"))
	if it.Finish != "" {
		skin = finished(it, 1.2)
	}
	body := turnedOn(outline("0 0, .78 0, .84 .05, .82 .3, .66 .75, .44 1.02, .36 1.06!, 0 1.06"), skin)
	lid := turnedOn(outline("0 1.06, .38 1.07!, .38 1.1, .2 1.17, .05 1.2, .05 1.24!, 0 1.24"), skin)
	knob := turnedOn(outline("0 1.24, .06 1.25, .11 1.31, .1 1.37, 0 1.4"), grip)
	spout := tube([]vec{{.6, .4, 0}, {.9, .6, 0}, {1.05, .95, 0}, {1.26, 1.08, 0}}, 1, skin, tapered(.17, .07))
	left := tube([]vec{{-.56, .9, 0}, {-.68, 1.2, 0}, {-.6, 1.62, 0}}, .5, skin, even(.045))
	right := tube([]vec{{.56, .9, 0}, {.68, 1.2, 0}, {.6, 1.62, 0}}, .5, skin, even(.045))
	bow := tube([]vec{{-.62, 1.58, 0}, {-.4, 1.76, 0}, {0, 1.82, 0}, {.4, 1.76, 0}, {.62, 1.58, 0}}, 1, grip, even(.085))
	return model{body, lid, knob, spout, left, right, bow}
}

// ironpot is a cast-iron pot with studs around it.
func ironpot(it Item) model {
	base := colour(or(it.Colour, "iron"))
	skin := &material{base: base, gloss: .3, paint: func(m *material, v *vertex) vec {
		row := v.tex.y * 11
		col := v.u*44 + .5*math.Mod(math.Floor(row), 2)
		d := math.Hypot(row-math.Floor(row)-.5, col-math.Floor(col)-.5)
		stud := smooth(.36, .2, d) * smooth(.2, .26, v.tex.y) * smooth(.78, .72, v.tex.y)
		return m.base.mul(.85 + .75*stud + .12*noise(v.tex.mul(30)))
	}}
	plain := &material{base: base, gloss: .35}
	body := turnedOn(outline("0 0, .5 0, .56 .05, .76 .3, .78 .55, .62 .86, .42 .95!, 0 .95"), skin)
	lid := turnedOn(outline("0 .95, .44 .96!, .44 1, .3 1.05, .08 1.08, .06 1.12, .11 1.17, .08 1.24, 0 1.25"), plain)
	spout := tube([]vec{{.6, .5, 0}, {.86, .62, 0}, {1.02, .9, 0}}, 1, plain, tapered(.15, .085))
	bow := tube([]vec{{-.6, .88, 0}, {-.66, 1.3, 0}, {-.35, 1.62, 0}, {0, 1.7, 0}, {.35, 1.62, 0}, {.66, 1.3, 0}, {.6, .88, 0}}, .8, plain, even(.05))
	return model{body, lid, spout, bow}
}

// gaiwan is a lidded cup on its saucer.
func gaiwan(it Item) model {
	skin := finished(it, .9)
	saucer := turnedOn(outline("0 0, .3 0!, .32 .03, .6 .1, .68 .16, .67 .18, .58 .14, .3 .07, 0 .06"), skin)
	body := turnedOn(outline("0 .06, .24 .06!, .25 .12, .42 .36, .52 .7, .58 .82, .57 .84, .54 .82, .46 .6, .2 .16, 0 .14"), skin)
	lid := turnedOn(outline("0 .76, .5 .78!, .51 .81, .42 .9, .24 .98, .15 1!, .17 1.07, .19 1.09, .15 1.09, .12 1.03, 0 1.02"), skin)
	return model{saucer, body, lid}
}

// press is a coffee and tea press: glass in a frame.
func press(it Item) model {
	frame := metal(or(it.Accent, "copper"))
	drink := turnedOn(outline("0 .1, .38 .1, .4 .12, .4 .95!, 0 .95"), &material{base: colour(or(it.Colour, "tea")), gloss: .9, glow: .08})
	wall := turnedOn(outline("0 .06, .4 .06, .43 .1, .43 1.36, .44 1.4"), crystal("glass"))
	base := turnedOn(outline("0 0, .44 0, .46 .03, .46 .1, .445 .12!, 0 .12"), frame)
	ring := turnedOn(outline(".435 1.02!, .46 1.02!, .46 1.12!, .435 1.12"), frame)
	lid := turnedOn(outline("0 1.36, .45 1.36, .47 1.4, .45 1.46, .2 1.52, 0 1.53"), frame)
	rod := tube([]vec{{0, 1.5, 0}, {0, 1.66, 0}, {0, 1.8, 0}}, 1, frame, even(.03))
	knob := turnedOn(outline("0 1.78, .06 1.79, .1 1.85, .06 1.92, 0 1.93"), wood("walnut"))
	handle := tube([]vec{{.44, 1.07, 0}, {.66, 1.1, 0}, {.78, .9, 0}, {.74, .45, 0}, {.6, .25, 0}, {.45, .1, 0}}, .6, wood("walnut"), even(.07))
	return model{drink, base, ring, lid, rod, knob, handle, wall}
}
