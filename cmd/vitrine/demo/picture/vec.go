package picture

import "math"

// vec is a point, a direction or a linear colour.
type vec struct{ x, y, z float64 }

func (a vec) add(b vec) vec            { return vec{a.x + b.x, a.y + b.y, a.z + b.z} }
func (a vec) sub(b vec) vec            { return vec{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vec) mul(k float64) vec        { return vec{a.x * k, a.y * k, a.z * k} }
func (a vec) times(b vec) vec          { return vec{a.x * b.x, a.y * b.y, a.z * b.z} }
func (a vec) dot(b vec) float64        { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vec) mix(b vec, t float64) vec { return a.mul(1 - t).add(b.mul(t)) }

func (a vec) cross(b vec) vec {
	return vec{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}
}

func (a vec) len() float64 { return math.Sqrt(a.dot(a)) }

func (a vec) unit() vec {
	if l := a.len(); l > 1e-12 {
		return a.mul(1 / l)
	}
	return vec{0, 1, 0}
}

// turned rotates around the y axis.
func (a vec) turned(degrees float64) vec {
	s, c := math.Sincos(degrees * math.Pi / 180)
	return vec{c*a.x + s*a.z, a.y, c*a.z - s*a.x}
}

// tipped rotates around the z axis: positive degrees lean to the left.
func (a vec) tipped(degrees float64) vec {
	s, c := math.Sincos(degrees * math.Pi / 180)
	return vec{c*a.x - s*a.y, s*a.x + c*a.y, a.z}
}

func clamp(x, low, high float64) float64 { return min(max(x, low), high) }

// smooth goes from 0 at a to 1 at b without a corner; b may be below a.
func smooth(a, b, x float64) float64 {
	t := clamp((x-a)/(b-a), 0, 1)
	return t * t * (3 - 2*t)
}

func lerp(a, b, t float64) float64 { return a + (b-a)*t }
