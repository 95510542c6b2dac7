package picture

import (
	"math"
	"strconv"
)

// colours are the names that stills use: the palette of one shop.
var colours = map[string]vec{
	"white": hex("f4f0e8"), "cream": hex("ece2cf"), "oat": hex("d9c8ab"), "sand": hex("c9ad84"), "clay": hex("b5714c"), "terracotta": hex("b8603c"),
	"rust": hex("93452a"), "blush": hex("dba893"), "rose": hex("c27b72"), "plum": hex("6d3f4c"), "ochre": hex("cf9a3c"), "honey": hex("d88c1f"),
	"sage": hex("98a684"), "celadon": hex("a9c1ae"), "moss": hex("66744a"), "forest": hex("33503f"), "sea": hex("5f8d8d"), "mist": hex("b3c3c8"),
	"sky": hex("8fb0c4"), "dusk": hex("5b7390"), "indigo": hex("2f4264"), "ink": hex("2b2e35"), "charcoal": hex("3b3936"), "slate": hex("6b7074"),
	"stone": hex("a59d90"), "oak": hex("b98a57"), "walnut": hex("6f4a30"), "beech": hex("d3ad7c"), "bamboo": hex("d3bb7e"), "wax": hex("f0e4c8"),
	"brass": hex("c79a4b"), "copper": hex("c5764f"), "steel": hex("b9bcc0"), "iron": hex("34342f"), "leaf": hex("56743f"), "olive": hex("7f8a4c"),
	"tea": hex("a85b22"), "glass": hex("d5e3df"), "smoke": hex("8b8f8f"), "red": hex("a83a32"), "lemon": hex("e3c65a"), "lilac": hex("a596b5"),
}

// colour finds a name; Draw has checked those of a still.
func colour(name string) vec { return colours[name] }

// hex reads rrggbb as a linear colour.
func hex(text string) vec {
	n, err := strconv.ParseUint(text, 16, 32)
	if err != nil {
		panic("colour " + text)
	}
	return vec{linear(n >> 16), linear(n >> 8 & 255), linear(n & 255)}
}

func linear(channel uint64) float64 {
	c := float64(channel) / 255
	if c <= .04045 {
		return c / 12.92
	}
	return math.Pow((c+.055)/1.055, 2.4)
}

// screen is the curve from light to 0 to 255 as a table. Bright light is rolled
// off, not cut; what is brighter than twice white is white.
var screen = func() (table [8193]float32) {
	const knee = .8
	for i := range table {
		c := float64(i) / 4096
		if c > knee {
			c = knee + (1-knee)*(1-math.Exp((knee-c)/(1-knee)))
		}
		if c <= .0031308 {
			table[i] = float32(255 * 12.92 * c)
		} else {
			table[i] = float32(255 * (1.055*math.Pow(c, 1/2.4) - .055))
		}
	}
	return table
}()

// rgb is a colour as a screen shows it, 0 to 255.
type rgb struct{ r, g, b float32 }

func shown(light vec) rgb { return rgb{channel(light.x), channel(light.y), channel(light.z)} }

func channel(light float64) float32 { return screen[int(clamp(light, 0, 2)*4096)] }

func (a rgb) mix(b rgb, t float32) rgb {
	return rgb{a.r + (b.r-a.r)*t, a.g + (b.g-a.g)*t, a.b + (b.b-a.b)*t}
}
