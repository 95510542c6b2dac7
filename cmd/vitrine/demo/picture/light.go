package picture

import "math"

// studio is the light of one still.
type studio struct {
	set         backdrop
	cam         camera
	sun         *sun
	sky, bounce vec
	size        float64
}

var warm = vec{1.0, .965, .91}

func newStudio(set backdrop, cam camera, parts model) *studio {
	low, high := parts.box()
	white := vec{1, 1, 1}
	return &studio{
		set: set, cam: cam, sun: newSun(parts), size: high.sub(low).len(),
		sky: white.mix(set.wall, .4).mul(.5), bounce: white.mix(set.table, .7).mul(.34),
	}
}

// shade is the light that comes from a place of a surface.
func (s *studio) shade(v *vertex, m *material, spin float64) vec {
	look := s.cam.eye.sub(v.pos).unit()
	n := v.nrm
	if n.dot(look) < 0 {
		n = n.mul(-1)
	}
	base := m.colourAt(v)
	facing := clamp(n.dot(look), 0, 1)
	mirror := n.mul(2 * facing).sub(look)
	if m.metal {
		return base.times(s.around(mirror, .62).mul(.9)).mul(.45 + .55*v.ao).add(base.times(s.diffuse(v, n, m, spin)).mul(.22))
	}
	out := base.times(s.diffuse(v, n, m, spin))
	grazing := (1 - facing) * (1 - facing)
	grazing *= grazing * (1 - facing)
	shine := (.045 + .5*grazing) * lerp(.25, 1, m.gloss)
	out = out.add(s.around(mirror, m.gloss).mul(shine * v.ao))
	if m.soft {
		out = out.add(base.mul(.16 * (1 - facing) * (1 - facing)))
	}
	return out.add(base.mul(m.glow))
}

func (s *studio) diffuse(v *vertex, n vec, m *material, spin float64) vec {
	angle := n.dot(toLamp)
	key := max(angle, 0)
	if m.soft {
		key = max((angle+.3)/1.3, 0)
	}
	if key > 0 {
		key *= s.sun.lit(v.pos, v.nrm.mul(math.Copysign(1, v.nrm.dot(n))), spin)
	}
	open := v.ao
	if n.y < .6 {
		open *= .62 + .38*smooth(0, .2*s.size, v.pos.y)
	}
	ambient := s.bounce.mix(s.sky, smooth(-.7, .7, n.y)).mul(open)
	fill := max(n.dot(vec{.8, .25, .55}), 0) * .1 // a white board at the right
	return ambient.add(warm.mul(.78 * key)).add(vec{fill, fill, fill}.mul(open))
}

// box and strip are the lights that mirrors show: a square at the left, with
// the cross of a window, and a strip at the right.
var (
	box   = newPanel(vec{-.62, .62, .55}, .3, .38, true)
	strip = newPanel(vec{.93, .3, .12}, .1, .7, false)
)

// around is what a mirror would show of the studio, the more blurred the less
// gloss there is.
func (s *studio) around(d vec, gloss float64) vec {
	base := s.set.table.mul(.55).mix(s.set.wall, smooth(-.25, .5, d.y))
	blur := lerp(.7, .035, gloss)
	window := 6.5 * box.light(d, blur) * lerp(.5, 1, gloss)
	rim := 1.6 * strip.light(d, blur) * lerp(.4, 1, gloss)
	return vec{base.x*.8 + warm.x*window + rim, base.y*.8 + warm.y*window + rim, base.z*.8 + warm.z*window + rim}
}

// panel is a rectangle of light in a direction.
type panel struct {
	at, across, up vec
	wide, high     float64
	barred         bool
}

func newPanel(at vec, wide, high float64, barred bool) panel {
	at = at.unit()
	across := at.cross(vec{0, 1, 0}).unit()
	return panel{at, across, across.cross(at), wide, high, barred}
}

// light is how bright the panel is in a direction, its edge as soft as blur.
func (p *panel) light(d vec, blur float64) float64 {
	front := d.dot(p.at)
	if front < .05 {
		return 0
	}
	x, y := math.Abs(d.dot(p.across)/front), math.Abs(d.dot(p.up)/front)
	if x > p.wide+blur || y > p.high+blur {
		return 0
	}
	light := smooth(p.wide+blur, p.wide-blur, x) * smooth(p.high+blur, p.high-blur, y)
	if p.barred && blur < .2 {
		light *= smooth(0, .05, x+.008) * smooth(0, .05, y+.008)
	}
	return light
}

// glass lays a clear surface over what is seen through it.
func (s *studio) glass(behind vec, v *vertex, m *material) vec {
	look := s.cam.eye.sub(v.pos).unit()
	n := v.nrm
	if n.dot(look) < 0 {
		n = n.mul(-1)
	}
	facing := clamp(n.dot(look), 0, 1)
	edge := math.Pow(1-facing, 2.2)
	tint := m.colourAt(v)
	through := behind.times(vec{1, 1, 1}.mix(tint, .22+.5*edge)).mul(1 - .25*edge)
	return through.add(s.around(n.mul(2*facing).sub(look), 1).mul(.05 + .34*edge))
}
