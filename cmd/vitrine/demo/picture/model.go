package picture

// models are the things that a still can show, by name.
var models = map[string]func(Item) model{
	"cup": cup, "mug": mug, "bowl": bowl, "plate": plate, "tumbler": tumbler, "pitcher": pitcher, "carafe": carafe, "glass": glass, "mortar": mortar,
	"teapot": teapot, "kyusu": kyusu, "kettle": kettle, "gaiwan": gaiwan, "ironpot": ironpot, "press": press,
	"vase": vase, "flute": flute, "moonvase": moonvase, "planter": planter, "sprig": sprig,
	"tin": tin, "pouch": pouch, "jar": jar, "honey": honey, "giftbox": giftbox, "soap": soap, "crock": crock,
	"candle": candle, "candleglass": candleglass, "candlestick": candlestick, "lamp": lamp, "lantern": lantern, "diffuser": diffuser, "incense": incense,
	"cushion": cushion, "throw": throw, "towels": towels, "napkins": napkins, "basket": basket,
	"tray": tray, "board": board, "spoon": spoon, "whisk": whisk, "strainer": strainer, "mill": mill, "stool": stool, "brush": brush, "leaves": leaves,
}

// finishes are the surfaces that an item may ask for; what a model does not know
// is drawn in its usual one.
var finishes = []string{"", "matte", "chalk", "speckled", "dipped", "deep", "banded", "lined", "wood", "metal", "plain", "knit"}

func or(name, other string) string {
	if name == "" {
		return other
	}
	return name
}

// finished is the surface that an item asks for; high is how high it stands.
func finished(it Item, high float64) *material {
	body, accent := or(it.Colour, "cream"), or(it.Accent, "clay")
	switch it.Finish {
	case "matte":
		return matte(body)
	case "chalk":
		return chalk(body)
	case "speckled":
		return stoneware(body, .7)
	case "dipped":
		return dipped(accent, body, high*.42)
	case "deep":
		return dipped(accent, body, high*.7)
	case "banded":
		return banded(body, accent, high*.035, high*.62, high*.7, high*.78)
	case "lined":
		return banded(body, accent, high*.05, high*.93)
	case "wood":
		return wood(body)
	case "metal":
		return metal(body)
	}
	return glazed(body)
}
