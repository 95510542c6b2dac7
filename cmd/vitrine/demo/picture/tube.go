package picture

import "math"

// tube is a bar along a smooth curve through the points. radius gives its half
// thickness along the way (0 to 1); flat below 1 makes it a band.
func tube(points []vec, flat float64, mat *material, radius func(t float64) float64) mesh {
	const sides, each = 18, 10
	steps := each * (len(points) - 1)
	s := mesh{mat: mat}
	frame := vec{}
	for i := range steps + 1 {
		t := float64(i) / float64(steps)
		p, along := on(points, t)
		if i == 0 {
			frame = across(along)
		}
		frame = frame.sub(along.mul(frame.dot(along))).unit() // carried along without twisting
		side := along.cross(frame).unit()
		r := radius(t)
		for k := range sides + 1 {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / sides)
			at := p.add(frame.mul(r * cos)).add(side.mul(r * flat * sin))
			n := frame.mul(cos * flat).add(side.mul(sin)).unit()
			s.verts = append(s.verts, vertex{pos: at, tex: at, nrm: n, u: float64(k) / sides, v: t, ao: 1})
		}
	}
	s.stitch(sides+1, steps+1)
	return s
}

// across is some direction at a right angle.
func across(d vec) vec {
	if math.Abs(d.z) < .9 {
		return d.cross(vec{0, 0, 1}).unit()
	}
	return d.cross(vec{0, 1, 0}).unit()
}

// on is the point and direction of the curve through the points (Catmull-Rom).
func on(points []vec, t float64) (at, along vec) {
	last := len(points) - 1
	x := clamp(t, 0, 1) * float64(last)
	i := min(int(x), last-1)
	a, b := points[i], points[i+1]
	from, to := b.sub(a), b.sub(a)
	if i > 0 {
		from = b.sub(points[i-1]).mul(.5)
	}
	if i+2 <= last {
		to = points[i+2].sub(a).mul(.5)
	}
	f := x - float64(i)
	f2, f3 := f*f, f*f*f
	at = a.mul(2*f3 - 3*f2 + 1).add(from.mul(f3 - 2*f2 + f)).add(b.mul(3*f2 - 2*f3)).add(to.mul(f3 - f2))
	along = a.mul(6*f2 - 6*f).add(from.mul(3*f2 - 4*f + 1)).add(b.mul(6*f - 6*f2)).add(to.mul(3*f2 - 2*f))
	return at, along.unit()
}

// even is a tube of one thickness with rounded ends.
func even(r float64) func(float64) float64 {
	return func(t float64) float64 {
		end := math.Min(t, 1-t) / .04
		if end >= 1 {
			return r
		}
		return r * math.Sqrt(math.Max(1-(1-end)*(1-end), 0))
	}
}

// tapered goes from one thickness to another.
func tapered(from, to float64) func(float64) float64 {
	return func(t float64) float64 { return lerp(from, to, t) }
}
