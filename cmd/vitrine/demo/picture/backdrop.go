package picture

import "math"

// backdrop is the studio: the colour of table and wall, and how they meet.
type backdrop struct {
	table, wall vec
	edge        bool // a table with an edge before the wall; else paper that curves up
	window      bool // light through a window on the wall
	grain       bool // a wooden table
}

// backdrops are the sets that stills name.
var backdrops = map[string]backdrop{
	"sand":     {table: hex("e6d9c5"), wall: hex("efe7da")},
	"cream":    {table: hex("f0e9dc"), wall: hex("f5f0e6")},
	"linen":    {table: hex("ddd3c4"), wall: hex("e7dfd3"), window: true},
	"sage":     {table: hex("c3cab4"), wall: hex("d0d6c4")},
	"blush":    {table: hex("e5c5b5"), wall: hex("edd6ca")},
	"clay":     {table: hex("cf9d80"), wall: hex("dbb39a")},
	"mist":     {table: hex("c6d0d2"), wall: hex("d6dedf")},
	"dusk":     {table: hex("8796a8"), wall: hex("9cabba")},
	"ochre":    {table: hex("dfb873"), wall: hex("e8ca92")},
	"forest":   {table: hex("4e6455"), wall: hex("5f7566")},
	"night":    {table: hex("3d3a3a"), wall: hex("4a4644")},
	"plum":     {table: hex("8f6a72"), wall: hex("a5828a")},
	"kitchen":  {table: hex("c9a477"), wall: hex("ebe4d8"), edge: true, grain: true, window: true},
	"workshop": {table: hex("9a7550"), wall: hex("c9cdbf"), edge: true, grain: true},
	"shelf":    {table: hex("efe8dc"), wall: hex("b9c2ac"), edge: true, window: true},
	"terrace":  {table: hex("e3cdb8"), wall: hex("c98f72"), edge: true, window: true},
	"harbour":  {table: hex("e8e2d6"), wall: hex("8fa3b0"), edge: true, window: true},
	"evening":  {table: hex("6b4c38"), wall: hex("4b4644"), edge: true, grain: true},
}

// seen is what a pixel shows of the studio. size is that of the things, and
// centre where they stand.
func (b *backdrop) seen(cam *camera, shade *field, centre vec, size, x, y float64, w, h int) vec {
	ray := cam.ray(x, y)
	fx, fy := x/float64(w), y/float64(h)
	wall := b.lit(fx, fy)
	if ray.y > -1e-4 {
		return wall
	}
	hit := cam.eye.add(ray.mul(-cam.eye.y / ray.y))
	depth := (centre.z - hit.z) / size // behind the things
	near := b.wood(hit).mul(1.03 - .1*smooth(.1, 1.1, math.Hypot(fx-.42, (fy-.62)*.9)))
	near = near.mul(1 - shade.at(hit.x, hit.z))
	if b.edge {
		past := smooth(.9, .9+.012*cam.eye.sub(hit).len()/size, depth)
		return near.mix(wall.mul(.93), past)
	}
	return near.mix(wall, smooth(.15, 2.6, depth))
}

// wood is the table's own colour at a place.
func (b *backdrop) wood(hit vec) vec {
	if !b.grain {
		return b.table.mul(.985 + .03*noise(hit.mul(6)))
	}
	plank := math.Floor(hit.z / 2.3)
	seam := smooth(0, .014, math.Abs(hit.z/2.3-math.Round(hit.z/2.3)))
	p := vec{hit.x*.35 + plank*17, plank * 5, hit.z * 5}
	rings := .5 + .5*math.Sin(p.z*1.4+5*noise(p.mul(.6)))
	fine := noise(vec{hit.x * 1.6, plank, hit.z * 42})
	return b.table.mul((.86 + .1*rings + .12*(fine-.5) + .08*hash(int(plank), 3, 1)) * (.72 + .28*seam))
}

// lit is the wall at a place of the picture, both 0 to 1.
func (b *backdrop) lit(x, y float64) vec {
	light := 1.06 - .17*math.Hypot(x-.3, y-.18)
	if b.window {
		light *= .93 + .15*pane(x, y)
	}
	return b.wall.mul(light)
}

// pane is the light of a window with four panes, thrown askew onto the wall.
func pane(x, y float64) float64 {
	a := (x - .16 + .34*(y-.1)) / .6
	b := (y - .03 + .12*(x-.2)) / .62
	soft := .035 + .05*b
	box := smooth(0, soft, a) * smooth(1, 1-soft, a) * smooth(-.2, -.2+soft, b) * smooth(1, 1-soft*1.4, b)
	bars := smooth(.012, .012+soft*.7, math.Abs(a-.5)) * smooth(.014, .014+soft*.7, math.Abs(b-.42))
	return box * (.25 + .75*bars)
}

// behind is the studio without the things, looked at in every step-th pixel and
// filled in between: it is soft but for the grain of wood.
type behind struct {
	step, width int
	at          []rgb
}

func newBehind(f *frame) *behind {
	b := &behind{step: 6}
	set := &f.studio.set
	if set.grain {
		b.step = 3
	}
	shade := newFloor(f.parts)
	low, high := f.parts.box()
	centre := low.add(high).mul(.5)
	b.width = f.w/b.step + 2
	for y := 0; y < f.h+b.step; y += b.step {
		for i := range b.width {
			light := set.seen(&f.studio.cam, shade, centre, f.studio.size, float64(i*b.step), float64(y), f.w, f.h)
			b.at = append(b.at, shown(light))
		}
	}
	return b
}

func (b *behind) pixel(x, y int) rgb {
	i, j := x/b.step, y/b.step
	a, c := float32(x%b.step)/float32(b.step), float32(y%b.step)/float32(b.step)
	row := b.at[j*b.width+i:]
	below := b.at[(j+1)*b.width+i:]
	return row[0].mix(row[1], a).mix(below[0].mix(below[1], a), c)
}
