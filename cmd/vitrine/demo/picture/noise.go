package picture

import "math"

// hash mixes three whole numbers into 0 to 1.
func hash(x, y, z int) float64 {
	h := uint32(x)*0x8da6b343 ^ uint32(y)*0xd8163841 ^ uint32(z)*0xcb1ab31f
	h ^= h >> 15
	h *= 0x2c1b3c6d
	h ^= h >> 12
	h *= 0x297a2d39
	h ^= h >> 15
	return float64(h) / (1 << 32)
}

// noise is a soft random field, 0 to 1, with features of about one unit.
func noise(p vec) float64 {
	fx, fy, fz := math.Floor(p.x), math.Floor(p.y), math.Floor(p.z)
	x, y, z := int(fx), int(fy), int(fz)
	a, b, c := ease(p.x-fx), ease(p.y-fy), ease(p.z-fz)
	edge := func(y, z int) float64 { return lerp(hash(x, y, z), hash(x+1, y, z), a) }
	return lerp(lerp(edge(y, z), edge(y+1, z), b), lerp(edge(y, z+1), edge(y+1, z+1), b), c)
}

func ease(t float64) float64 { return t * t * (3 - 2*t) }

// specks is 1 inside scattered dots and 0 between them; density is the share of
// cells that hold one.
func specks(p vec, density float64) float64 {
	x, y, z := math.Floor(p.x), math.Floor(p.y), math.Floor(p.z)
	i, j, k := int(x), int(y), int(z)
	if hash(i, j, k) > density {
		return 0
	}
	r := .12 + .3*hash(i+7, j, k)
	at := vec{x + lerp(r, 1-r, hash(i, j+7, k)), y + lerp(r, 1-r, hash(i, j, k+7)), z + .5}
	d := p.sub(at)
	d.z *= .4
	return 1 - smooth(r*.75, r, d.len())
}
