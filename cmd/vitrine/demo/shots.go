package demo

import (
	"strconv"
	"strings"

	"vitrine/cmd/vitrine/demo/picture"
)

// shot is a picture under the file name by which a later start finds it.
type shot struct {
	name  string
	still picture.Still
}

// The formats: products are square, sections and articles 16:10.
const (
	square = 880
	wide   = 1120
	low    = 700
)

// shots are all pictures of a shop.
func (c *content) shots() (list []shot) {
	for _, s := range c.Categories {
		if len(s.Items) > 0 {
			still := cover(s.Set, s.Items)
			if s.Pitch > 0 {
				still.Pitch = s.Pitch
			}
			if s.Fill > 0 {
				still.Fill = s.Fill
			}
			list = append(list, shot{s.shotName(), still})
		}
	}
	for _, p := range c.Products {
		for i := range max(p.Shots, 1) {
			list = append(list, shot{p.shotName(i), p.still(i)})
		}
	}
	for _, a := range c.Articles {
		list = append(list, shot{a.shotName(), cover(a.Set, a.Items)})
	}
	return list
}

func (c category) shotName() string { return "section-" + c.slug() + ".jpg" }
func (a article) shotName() string  { return "article-" + a.Slug + ".jpg" }
func (p product) shotName(i int) string {
	return strings.ToLower(p.SKU) + "-" + strconv.Itoa(i+1) + ".jpg"
}

func cover(set string, items []picture.Item) picture.Still {
	return picture.Still{Items: items, Set: set, Pitch: 17, Width: wide, Height: low, Fill: .68, Sink: .03}
}

// still is the i-th photograph of a product: alone, in company, from above, and
// from near by.
func (p product) still(i int) picture.Still {
	thing := picture.Item{Model: p.Model, Colour: p.Colour, Accent: p.Accent, Finish: p.Finish, Turn: -22}
	s := picture.Still{Items: []picture.Item{thing}, Set: p.Set, Pitch: eye(p.Model), Width: square, Height: square, Fill: .64, Sink: .02}
	switch i {
	case 1:
		s.Set, s.Pitch = beside[p.Set], s.Pitch+3
		s.Items = append(s.Items, p.company()...)
		s.Fill = .72
	case 2:
		s.Items[0].Turn = 32
		s.Pitch, s.Fill = s.Pitch+30, .7
	case 3:
		s.Items[0].Turn = -50
		s.Set, s.Fill, s.Sink = beside[p.Set], 1.2, 0
	}
	return s
}

// eye is how far the camera looks down on a model: on flat things more.
func eye(model string) float64 {
	switch model {
	case "plate", "board", "tray", "spoon", "leaves", "incense":
		return 36
	case "throw", "towels", "napkins", "bowl", "soap", "giftbox", "brush", "strainer":
		return 26
	case "lamp", "vase", "flute", "candlestick", "lantern", "stool", "mill", "tin", "candle":
		return 12
	}
	return 17
}

// beside is a studio that goes well with another one in the same gallery.
var beside = map[string]string{
	"sand": "shelf", "cream": "kitchen", "linen": "sage", "sage": "linen", "blush": "terrace", "clay": "cream", "mist": "harbour", "dusk": "harbour",
	"ochre": "kitchen", "forest": "sage", "night": "evening", "plum": "blush", "kitchen": "sand", "workshop": "sand", "shelf": "sage",
	"terrace": "blush", "harbour": "mist", "evening": "night",
}

// company is what stands around a product in its second picture. Colours left
// empty are the product's own.
func (p product) company() []picture.Item {
	around := company[p.Model]
	if around == nil {
		around = []picture.Item{{Model: p.Model, X: 1.5, Z: -.7, Turn: 20, Size: .8}}
	}
	items := make([]picture.Item, len(around))
	for i, it := range around {
		if it.Colour == "" {
			it.Colour, it.Accent, it.Finish = p.Colour, p.Accent, p.Finish
		}
		items[i] = it
	}
	return items
}

var company = map[string][]picture.Item{
	"teapot":      {{Model: "cup", X: 1.55, Z: .9}, {Model: "cup", X: .65, Z: 1.5}},
	"kyusu":       {{Model: "cup", X: 1.75, Z: 1.1}, {Model: "leaves", Colour: "moss", X: -1.3, Z: 1.1}},
	"ironpot":     {{Model: "cup", Colour: "stone", Finish: "speckled", X: 1.5, Z: .9}, {Model: "tray", Colour: "walnut", X: 1.5, Z: .9, Y: -.075, Size: .6}},
	"kettle":      {{Model: "mug", Colour: "cream", Finish: "speckled", X: 1.5, Z: .8, Turn: -30}},
	"press":       {{Model: "glass", Colour: "glass", Accent: "tea", X: 1.3, Z: .5}},
	"gaiwan":      {{Model: "leaves", Colour: "moss", X: 1.25, Z: .7}},
	"cup":         {{Model: "cup", X: 1, Z: -.5, Turn: 120}, {Model: "cup", X: -.35, Z: -1.1, Turn: 200}},
	"mug":         {{Model: "mug", X: 1.1, Z: -.8, Turn: -150}},
	"bowl":        {{Model: "whisk", Colour: "bamboo", X: 1.35, Z: .1}, {Model: "spoon", Colour: "bamboo", X: -.6, Z: 1.2, Turn: 8}},
	"whisk":       {{Model: "bowl", Colour: "ink", Finish: "speckled", X: 1.3, Z: -.4}},
	"plate":       {{Model: "bowl", Y: .07, Size: .75}, {Model: "cup", X: 1.4, Z: -.6}},
	"pitcher":     {{Model: "cup", X: 1.3, Z: .7}, {Model: "sprig", Colour: "white", X: -1.6, Z: -.8, Size: .8}},
	"carafe":      {{Model: "glass", Colour: "glass", Accent: "honey", X: 1.2, Z: .5}, {Model: "glass", Colour: "glass", Accent: "honey", X: 1.9, Z: -.2}},
	"tin":         {{Model: "leaves", Colour: "moss", X: 1.1, Z: .7}, {Model: "cup", Colour: "white", X: -1.1, Z: .4}},
	"pouch":       {{Model: "leaves", Colour: "moss", X: 1.1, Z: .7}, {Model: "spoon", Colour: "beech", X: -.5, Z: 1.1, Turn: 12}},
	"jar":         {{Model: "spoon", Colour: "beech", X: -.3, Z: 1.1, Turn: 12}, {Model: "cup", Colour: "white", X: 1.25, Z: .2}},
	"candleglass": {{Model: "candle", Colour: "wax", X: 1.1, Z: -.6}},
	"candlestick": {{Model: "candlestick", X: .85, Z: -.4, Size: .82}, {Model: "candlestick", X: -.75, Z: -.6, Size: .7}},
	"throw":       {{Model: "cushion", Colour: "rust", Accent: "cream", X: .4, Z: -1.5, Turn: -14}},
	"cushion":     {{Model: "cushion", Colour: "oat", Finish: "plain", X: 1.1, Z: -.8, Turn: -18, Size: .9}},
	"napkins":     {{Model: "plate", Colour: "white", Finish: "lined", Accent: "moss", X: 1.5, Z: .6}},
	"towels":      {{Model: "soap", Colour: "sage", X: 1.8, Z: .5, Turn: 20, Size: .7}},
	"lamp":        {{Model: "cup", Colour: "cream", Finish: "speckled", X: 1.4, Z: .5}, {Model: "moonvase", Colour: "clay", Finish: "matte", X: -1.3, Z: .2, Size: .55}},
	"vase":        {{Model: "moonvase", Colour: "oat", Finish: "matte", X: 1.25, Z: .2, Size: .75}},
	"stool":       {{Model: "planter", Colour: "terracotta", Finish: "chalk", Y: 2.35, Size: .8}},
	"board":       {{Model: "crock", Colour: "cream", Accent: "oak", Finish: "speckled", X: -.4, Z: -1.1}, {Model: "mill", Colour: "beech", X: .9, Z: -1.1}},
	"tray":        {{Model: "teapot", Colour: "cream", Finish: "speckled", X: -.25, Y: .06, Z: -.15, Size: .72, Turn: -20}, {Model: "cup", Colour: "cream", Finish: "speckled", X: .72, Y: .06, Z: .35, Size: .8}},
}
