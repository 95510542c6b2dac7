package picture

// cup is a tea bowl without a handle.
func cup(it Item) model {
	return model{turnedOn(outline("0 0, .2 0!, .21 .05!, .25 .07, .4 .26, .45 .6, .46 .68, .445 .7, .43 .68, .41 .55, .34 .2, .2 .1, 0 .08"), finished(it, .7)),
		brew(.425, .56)}
}

// brew is the surface of tea in a vessel.
func brew(r, y float64) mesh {
	return turnedOn([]knot{{r, y, true}, {0, y, true}}, &material{base: colour("tea").mul(.75), gloss: 1})
}

// mug has a handle at the right.
func mug(it Item) model {
	skin := finished(it, .9)
	body := turnedOn(outline("0 0, .36 0, .41 .03, .43 .1, .44 .5, .435 .88, .425 .91, .41 .9, .405 .8, .4 .15, .36 .07, 0 .06"), skin)
	handle := tube([]vec{{.41, .72, 0}, {.58, .76, 0}, {.7, .62, 0}, {.7, .4, 0}, {.58, .24, 0}, {.41, .22, 0}}, .7, skin, tapered(.07, .06))
	return model{body, handle}
}

func bowl(it Item) model {
	return model{turnedOn(outline("0 0, .28 0!, .3 .05!, .34 .07, .6 .22, .78 .48, .82 .6, .81 .62, .785 .6, .72 .46, .52 .2, .3 .12, 0 .1"), finished(it, .62))}
}

func plate(it Item) model {
	return model{turnedOn(outline("0 0, .55 0!, .57 .03, .7 .05, .95 .11, 1.04 .16, 1.045 .18, 1.02 .18, .92 .14, .7 .08, .5 .07, 0 .065"), finished(it, .18))}
}

// tumbler is a straight beaker with a waist of ribs.
func tumbler(it Item) model {
	return model{turnedOn(outline("0 0, .3 0, .34 .04, .35 .14, .36 .2, .35 .26, .365 .32, .355 .38, .38 .46, .41 .9, .4 .92, .385 .9, .345 .3, .3 .1, 0 .08"), finished(it, .92))}
}

// pitcher is a jug with a lip at the left and a handle at the right.
func pitcher(it Item) model {
	skin := finished(it, 1.5)
	body := turnedOn(outline("0 0, .36 0, .42 .04, .52 .4, .5 .75, .36 1.1, .33 1.3, .38 1.5, .37 1.52, .35 1.49, .3 1.28, .33 1.1, .44 .6, .3 .1, 0 .09"), skin)
	for i := range body.verts {
		p := &body.verts[i].pos
		if p.y > 1.15 && p.x < 0 { // pulls the rim out into a lip
			k := smooth(1.15, 1.5, p.y) * smooth(.32, 0, max(p.z, -p.z))
			p.x -= .2 * k
			p.y += .06 * k
		}
	}
	handle := tube([]vec{{.3, 1.32, 0}, {.5, 1.42, 0}, {.76, 1.25, 0}, {.8, .9, 0}, {.66, .6, 0}, {.48, .52, 0}}, .7, skin, tapered(.07, .06))
	return model{body, handle}
}

// carafe is of glass, half full of tea, with a wooden stopper.
func carafe(it Item) model {
	body := turnedOn(outline("0 0, .44 0, .52 .05, .58 .4, .5 .8, .26 1.2, .2 1.5, .22 1.75, .24 1.8"), crystal(or(it.Colour, "glass")))
	tea := turnedOn(outline("0 .04, .42 .04, .5 .1, .555 .4, .52 .62!, 0 .62"), &material{base: colour(or(it.Accent, "tea")), gloss: .9, glow: .12})
	stopper := turnedOn(outline("0 1.55, .17 1.55, .19 1.8!, .24 1.82, .25 1.98, .22 2.04, 0 2.05"), wood("beech"))
	return model{tea, stopper, body}
}

// glass is a tumbler of glass with a drink in it.
func glass(it Item) model {
	body := turnedOn(outline("0 0, .3 0, .33 .03, .39 .95, .38 .97"), crystal(or(it.Colour, "glass")))
	drink := turnedOn(outline("0 .07, .28 .07, .31 .1, .35 .68!, 0 .68"), &material{base: colour(or(it.Accent, "tea")), gloss: .9, glow: .12})
	return model{drink, body}
}

func mortar(it Item) model {
	skin := finished(it, .8)
	body := turnedOn(outline("0 0, .42 0!, .44 .1!, .38 .16, .5 .4, .62 .74, .62 .8, .57 .8, .5 .6, .3 .3, 0 .24"), skin)
	pestle := tube([]vec{{-.12, .36, .05}, {.2, .72, .05}, {.62, 1.16, .05}}, 1, skin, func(t float64) float64 { return lerp(.13, .075, smooth(0, .5, t)) + .04*smooth(.8, 1, t) })
	return model{body, pestle}
}
