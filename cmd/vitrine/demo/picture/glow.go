package picture

import "math"

// flame stands at a height on the axis.
func flame(y float64) model {
	wick := tube([]vec{{0, y - .06, 0}, {.005, y + .02, 0}, {.015, y + .07, 0}}, 1, chalk("ink"), even(.012))
	fire := turnedOn(outline("0 0, .04 .05, .05 .12, .025 .24, 0 .34"), &material{base: vec{1, .72, .28}, glow: 3, soft: true}).lifted(y + .03)
	return model{wick, fire}
}

// candle is a pillar with a burnt hollow.
func candle(it Item) model {
	skin := wax(or(it.Colour, "wax"))
	skin.glow = .06
	body := turnedOn(outline("0 0, .37 0!, .38 .02, .38 1.28, .36 1.32, .33 1.31, .28 1.24, 0 1.22"), skin)
	return append(model{body}, flame(1.27)...)
}

// candleglass is a candle in a glass with a label.
func candleglass(it Item) model {
	fill := wax(or(it.Colour, "wax"))
	fill.glow = .1
	inner := turnedOn(outline("0 .05, .4 .05, .41 .07, .41 .68!, .2 .66, 0 .66"), labelled(fill, "white", or(it.Accent, "ink"), .16, .6, .6))
	wall := turnedOn(outline("0 0, .42 0, .45 .03, .45 .92, .44 .94"), crystal("glass"))
	return append(append(model{inner}, flame(.7)...), wall)
}

// candlestick holds a slender candle.
func candlestick(it Item) model {
	foot := metal(or(it.Colour, "brass"))
	if it.Finish != "" {
		foot = finished(it, .9)
	}
	stand := turnedOn(outline("0 0, .4 0, .42 .03, .38 .07, .12 .12, .07 .2, .07 .34, .12 .4, .07 .46, .06 .7, .1 .78, .14 .84, .14 .92!, .11 .92!, 0 .9"), foot)
	stick := turnedOn(outline("0 .88, .1 .88, .1 .9, .075 2.2, .05 2.26, 0 2.27"), wax(or(it.Accent, "wax")))
	return append(model{stand, stick}, flame(2.28)...)
}

// lamp is a table lamp with a linen shade.
func lamp(it Item) model {
	foot := finished(it, 1.3)
	body := turnedOn(outline("0 0, .38 0, .42 .04, .54 .36, .5 .7, .3 1, .16 1.14, .12 1.3!, 0 1.3"), foot)
	neck := turnedOn(outline("0 1.3, .05 1.3!, .05 1.7!, 0 1.7"), metal("brass"))
	linen := cloth(or(it.Accent, "cream"), "sand", 0)
	shade := &material{base: linen.base, soft: true, glow: .36, paint: linen.paint}
	hood := turnedOn(outline(".86 1.46!, .87 1.47!, .56 2.5!, .55 2.5!, .85 1.46"), shade)
	return model{body, neck, hood}
}

// lantern is a cage of metal around a candle.
func lantern(it Item) model {
	bars := metal(or(it.Colour, "iron"))
	m := model{slab(1, .1, 1, .02, bars), slab(1, .08, 1, .02, bars).lifted(1.5)}
	for _, c := range [][2]float64{{-.45, -.45}, {.45, -.45}, {-.45, .45}, {.45, .45}} {
		m = append(m, tube([]vec{{c[0], .05, c[1]}, {c[0], .8, c[1]}, {c[0], 1.55, c[1]}}, 1, bars, even(.035)))
	}
	roof := grid(4, 12, bars, func(u, v float64) vec {
		s, c := math.Sincos(2*math.Pi*u + math.Pi/4)
		r := lerp(.72, .14, v)
		return vec{r * c, 1.58 + .4*v, r * s}
	})
	ring := tube([]vec{{-.12, 1.96, 0}, {-.2, 2.2, 0}, {0, 2.36, 0}, {.2, 2.2, 0}, {.12, 1.96, 0}}, 1, bars, even(.03))
	inside := append(model{turnedOn(outline("0 .1, .26 .1!, .26 .8, .24 .82, .2 .78, 0 .77"), wax(or(it.Accent, "wax")))}, flame(.8)...)
	return append(append(m, roof, ring), inside...)
}

// diffuser is a bottle of scent with reeds.
func diffuser(it Item) model {
	oil := &material{base: colour(or(it.Colour, "honey")), gloss: .9, glow: .15}
	inner := turnedOn(outline("0 .05, .38 .05, .4 .08, .4 .5!, 0 .5"), labelled(oil, "white", or(it.Accent, "ink"), .12, .46, .62))
	wall := turnedOn(outline("0 0, .42 0, .46 .04, .46 .66, .4 .76, .17 .84, .15 1, .18 1.03"), crystal("glass"))
	m := model{inner}
	for i := range 6 {
		s, c := math.Sincos(float64(i)*1.05 + .4)
		m = append(m, tube([]vec{{-.12 * c, .12, -.12 * s}, {.04 * c, .95, .04 * s}, {.42 * c, 2.05, .26 * s}}, 1, wood("bamboo"), even(.022)))
	}
	return append(m, wall)
}

// incense is a stick in a dish.
func incense(it Item) model {
	dish := turnedOn(outline("0 0, .6 0, .64 .02, .76 .1, .76 .13, .72 .12, .6 .06, 0 .05"), finished(it, .13))
	ball := turnedOn(outline("0 .05, .08 .06, .13 .13, .09 .2, 0 .22"), metal("brass"))
	stick := tube([]vec{{0, .15, 0}, {.35, .75, 0}, {.75, 1.4, 0}}, 1, chalk(or(it.Accent, "walnut")), even(.02))
	return model{dish, ball, stick}
}
