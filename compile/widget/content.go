package widget

// MaxItems is how many entries of a section's items are drawn.
const MaxItems = 100

// card is what one entry of a section's items holds where the widget shows
// pictures with words.
func card() []Prop {
	return own(
		like(text("title", ""), "Oolong, roasted over pine"), like(rich("text"), "Two harvests a year."), file("image_id"),
		like(note(text("alt", ""), "what the picture shows, for those who do not see it; empty: the title"), "Leaves in a white bowl"),
		address("url"),
	)
}

// headed is the heading above a widget for which the specification shows none.
func headed() []Prop { return own(title(), choice("titleTag", "h2", "h2", "h3", "p", "div")) }

// content is the widgets that draw what their section holds.
var content = []Kind{
	{Name: "slideshow", RU: "Слайд-шоу", EN: "Slideshow", Placement: Page, Render: Section, Drawn: true,
		Items: append(card(), own(like(note(text("buttonText", ""), "a button over the picture, which leads to url"), "See all"))...),
		Props: append(headed(), []Prop{
			text("aspect", "16:9"),
			text("aspectClass", "aspect-video"),
			text("controls", "arrows_dots"),
			flag("showArrows", true),
			flag("showDots", true),
			text("transition", "slide"),
			note(number("autoplay", 0), "seconds; 0 is off"),
			nothing("radius", Int),
			note(text("caption", "off"), "off, over or below: where the title stands; a slide with a text or a button has its words over the picture"),
			style("captionStyle"),
			text("captionClass", "text-sm sm:text-base"),
			flag("zoom", false),
			hiddenEls(),
			flag("legacy", true),
		}...)},
	{Name: "reels", RU: "Рилсы", EN: "Reels", Placement: Page, Render: Section, Drawn: true,
		Items: append(card(), own(note(file("video_id"), "a film of the shop, which the tile plays; without one it shows its picture"))...),
		Props: []Prop{
			choice("layout", "grid", "strip", "grid"),
			text("tileHeight", "m"),
			number("tileWidth", 172),
			text("tileAspect", "9:16"),
			text("aspectClass", "aspect-[9/16]"),
			number("columns", 4),
			text("gridClass", "grid-cols-2 @2xl:grid-cols-4"),
			number("gap", 12),
			nothing("radius", Int),
			note(choice("overflow", "plusN", "plusN", "scroll"), "shares its name with the wrapper axis: visible and clip are read by the wrapper"),
			choice("drift", "off", "off", "slow", "mid", "fast"),
			choice("preview", "poster", "poster", "hover"),
			flag("showTileCaptions", true),
			flag("showDuration", true),
			flag("autoAdvance", true),
			flag("loopAll", false),
			title(),
			titleTag(),
			hiddenEls(),
		}},
	{Name: "cards", RU: "Карточки", EN: "Cards", Placement: Page, Render: Section, Drawn: true, Items: card(),
		Props: append(headed(), []Prop{
			note(text("source", "manual"), "manual, products or articles"),
			list("productRefs", reference("")),
			number("articlesLimit", 4),
			byDesign(within(number("columns", 3), 1, 4)),
		}...)},
	{Name: "steps", RU: "Шаги", EN: "Steps", Placement: Page, Render: Section, Drawn: true, Items: card(),
		Props: []Prop{
			choice("layout", "grid", "grid", "timeline"),
			number("columns", 4),
			text("gridClass", "@2xl:grid-cols-2 @5xl:grid-cols-4"),
			number("gap", 24),
			choice("marker", "circle", "circle", "square", "plain", "icon", "none"),
			text("markerSize", "m"),
			text("markerClass", "size-8 text-sm"),
			number("markerPx", 32),
			color("markerFill"), color("markerColor"), color("connectorColor"),
			flag("connector", false),
			choice("connectorStyle", "solid", "solid", "dashed"),
			number("startFrom", 1),
			style("stepTitle"), style("stepText"), title(),
			text("stepTitleClass", "text-base"),
			text("stepTextClass", "text-sm"),
			titleTag(),
			hiddenEls(),
			flag("legacy", true),
		}},
	{Name: "faq", RU: "Вопросы и ответы", EN: "Questions and answers", Placement: Page, Render: Section, Drawn: true,
		Items: own(like(text("question", ""), "How do I brew it?"), like(rich("answer"), "<p>At 80 °C, for two minutes.</p>")),
		Props: []Prop{
			choice("openMode", "multi", "multi", "single"),
			flag("firstOpen", false),
			choice("icon", "chevron", "chevron", "plus", "none"),
			flag("frame", true),
			color("bg"), color("dividerColor"),
			flag("dividers", true),
			number("gap", 0),
			style("question"), style("answer"), title(),
			text("questionClass", "text-base"),
			text("answerClass", "text-sm"),
			titleTag(),
			hiddenEls(),
			flag("legacy", true),
		}},
	{Name: "features", RU: "Преимущества", EN: "Features", Placement: Page, Render: Section, Drawn: true, Items: card(),
		Props: []Prop{
			number("columns", 3),
			text("gridClass", "@2xl:grid-cols-2 @5xl:grid-cols-3"),
			number("gap", 24),
			choice("align", "left", "left", "center"),
			text("icon", "rounded"),
			text("iconSize", "m"),
			text("iconClass", "size-12 rounded-xl bg-gray-100"),
			color("iconFill"),
			style("itemTitle"), style("itemText"), title(),
			text("itemTitleClass", "text-base"),
			text("itemTextClass", "text-sm"),
			titleTag(),
			hiddenEls(),
			flag("legacy", true),
		}},
}
