package picture

import "math"

// material is what a surface is made of.
type material struct {
	base  vec
	gloss float64 // 0 chalk, 1 wet glaze
	metal bool
	clear bool // glass: seen through
	soft  bool // cloth and wax: light goes around the edge
	glow  float64
	paint func(m *material, v *vertex) vec // nil: base everywhere
}

func (m *material) colourAt(v *vertex) vec {
	if m.paint == nil {
		return m.base
	}
	return m.paint(m, v)
}

func glazed(name string) *material  { return &material{base: colour(name), gloss: .85} }
func matte(name string) *material   { return &material{base: colour(name), gloss: .25} }
func chalk(name string) *material   { return &material{base: colour(name), gloss: .08} }
func metal(name string) *material   { return &material{base: colour(name), gloss: .8, metal: true} }
func crystal(name string) *material { return &material{base: colour(name), gloss: 1, clear: true} }
func wax(name string) *material     { return &material{base: colour(name), gloss: .3, soft: true} }

// cloth is woven, plain or with stripes of a second colour every so many
// decimetres across x.
func cloth(name, stripe string, every float64) *material {
	second := colour(stripe)
	return &material{base: colour(name), gloss: .02, soft: true, paint: func(m *material, v *vertex) vec {
		c := m.base
		if every > 0 {
			t := math.Abs(math.Mod(v.tex.x+100*every, every)/every - .5)
			c = c.mix(second, smooth(.37, .355, t)*smooth(.3, .315, t)+smooth(.22, .205, t)*smooth(.19, .205, t))
		}
		thread := math.Sin(v.tex.x*150) * math.Sin(v.tex.z*150+v.tex.y*150)
		return c.mul(.95 + .06*thread + .1*(noise(v.tex.mul(14))-.5))
	}}
}

// knitted is a coarse cloth of upright rows.
func knitted(name string) *material {
	return &material{base: colour(name), gloss: .02, soft: true, paint: func(m *material, v *vertex) vec {
		row := math.Abs(math.Sin(v.tex.x * 38))
		stitch := math.Abs(math.Sin((v.tex.z+v.tex.y)*30 + 5*row))
		return m.base.mul(.72 + .22*row + .12*stitch)
	}}
}

// stoneware is a glaze with dark specks.
func stoneware(name string, gloss float64) *material {
	return &material{base: colour(name), gloss: gloss, paint: func(m *material, v *vertex) vec {
		tone := m.base.mul(.94 + .12*noise(v.tex.mul(5)))
		return tone.mul(1 - .4*specks(v.tex.mul(34), .13))
	}}
}

// dipped is stoneware whose upper part was held into a second glaze, down to
// about the given height; the border runs.
func dipped(foot, glaze string, height float64) *material {
	lower := stoneware(foot, 0)
	second := colour(glaze)
	return &material{base: colour(foot), gloss: .7, paint: func(_ *material, v *vertex) vec {
		border := height + .05*(noise(vec{v.tex.x * 4, 0, v.tex.z * 4})-.5) + .02*(noise(vec{v.tex.x * 13, 0, v.tex.z * 13})-.5)
		upper := second.mul(.93 + .14*noise(v.tex.mul(4)))
		upper = upper.mul(1 + .3*smooth(.03, 0, math.Abs(v.tex.y-border-.02)))
		return lower.colourAt(v).mix(upper, smooth(border-.006, border+.006, v.tex.y))
	}}
}

// banded has rings of a second colour around it at the given heights.
func banded(name, ring string, width float64, heights ...float64) *material {
	second := colour(ring)
	return &material{base: colour(name), gloss: .75, paint: func(m *material, v *vertex) vec {
		c := m.base
		for _, h := range heights {
			wobble := .006 * (noise(vec{v.tex.x * 9, h * 9, v.tex.z * 9}) - .5)
			c = c.mix(second, smooth(width/2+.004, width/2-.004, math.Abs(v.tex.y-h+wobble)))
		}
		return c
	}}
}

// wood has its grain along x.
func wood(name string) *material {
	return &material{base: colour(name), gloss: .22, paint: func(m *material, v *vertex) vec {
		p := vec{v.tex.x * 1.1, v.tex.y * 9, v.tex.z * 9}
		wave := p.y + p.z + 2.2*noise(p.mul(.5))
		line := .5 + .5*math.Sin(wave*2.6+3*noise(p))
		fine := noise(vec{v.tex.x * 4, v.tex.y * 70, v.tex.z * 70})
		return m.base.mul(.8 + .2*line + .16*(fine-.5))
	}}
}

// woven is basketwork: strands over and under upright stakes.
func woven(name string) *material {
	return &material{base: colour(name), gloss: .12, paint: func(m *material, v *vertex) vec {
		row := v.tex.y * 9
		shift := math.Mod(math.Floor(row), 2) * math.Pi
		strand := math.Abs(math.Sin(row * math.Pi))
		over := .5 + .5*math.Sin(v.u*2*math.Pi*22+shift)
		return m.base.mul(.4 + .38*strand + .3*over*strand)
	}}
}
