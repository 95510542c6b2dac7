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
			classes("aspectClass", "aspect-video", AspectClass),
			choice("controls", "arrows_dots", "arrows_dots", "arrows", "dots", "none"),
			flag("showArrows", true),
			flag("showDots", true),
			choice("transition", "slide", "slide", "fade", "none"),
			note(number("autoplay", 0), "seconds; 0 is off"),
			nothing("radius", Int),
			note(choice("caption", "off", "off", "over", "below"), "off, over or below: where the title stands; a slide with a text or a button has its words over the picture"),
			style("captionStyle"),
			classes("captionClass", "text-sm sm:text-base", TextClass),
			flag("zoom", false),
			hiddenEls("title", "caption", "arrows", "dots"),
			legacy(),
		}...)},
	{Name: "reels", RU: "Рилсы", EN: "Reels", Placement: Page, Render: Section, Drawn: true,
		Items: append(card(), own(note(file("video_id"), "a film of the shop, which the tile plays; without one it shows its picture"))...),
		Props: []Prop{
			choice("layout", "grid", "strip", "grid"),
			choice("tileHeight", "m", "s", "m", "l"),
			number("tileWidth", 172),
			text("tileAspect", "9:16"),
			classes("aspectClass", "aspect-[9/16]", AspectClass),
			number("columns", 4),
			classes("gridClass", "grid-cols-2 @2xl:grid-cols-4", GridClass),
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
			hiddenEls("title", "caption", "duration"),
		}},
	{Name: "cards", RU: "Карточки", EN: "Cards", Placement: Page, Render: Section, Drawn: true, Items: card(),
		Props: append(headed(), []Prop{
			choice("source", "manual", "manual", "products", "articles"),
			list("productRefs", reference("")),
			number("articlesLimit", 4),
			byDesign(within(number("columns", 3), 1, 4)),
		}...)},
	{Name: "steps", RU: "Шаги", EN: "Steps", Placement: Page, Render: Section, Drawn: true, Items: card(),
		Props: []Prop{
			choice("layout", "grid", "grid", "timeline"),
			number("columns", 4),
			classes("gridClass", "@2xl:grid-cols-2 @5xl:grid-cols-4", GridClass),
			number("gap", 24),
			choice("marker", "circle", "circle", "square", "plain", "icon", "none"),
			choice("markerSize", "m", "s", "m", "l"),
			classes("markerClass", "size-8 text-sm", MarkClass),
			number("markerPx", 32),
			color("markerFill"), color("markerColor"), color("connectorColor"),
			flag("connector", false),
			choice("connectorStyle", "solid", "solid", "dashed"),
			number("startFrom", 1),
			style("stepTitle"), style("stepText"), title(),
			classes("stepTitleClass", "text-base", TextClass),
			classes("stepTextClass", "text-sm", TextClass),
			titleTag(),
			hiddenEls("title", "marker", "stepTitle", "text"),
			legacy(),
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
			classes("questionClass", "text-base", TextClass),
			classes("answerClass", "text-sm", TextClass),
			titleTag(),
			hiddenEls("title", "icon", "answer"),
			legacy(),
		}},
	{Name: "features", RU: "Преимущества", EN: "Features", Placement: Page, Render: Section, Drawn: true, Items: card(),
		Props: []Prop{
			number("columns", 3),
			classes("gridClass", "@2xl:grid-cols-2 @5xl:grid-cols-3", GridClass),
			number("gap", 24),
			choice("align", "left", "left", "center"),
			choice("icon", "rounded", "rounded", "circle", "square", "none"),
			choice("iconSize", "m", "s", "m", "l"),
			classes("iconClass", "size-12 rounded-xl bg-gray-100", MarkClass),
			color("iconFill"),
			style("itemTitle"), style("itemText"), title(),
			classes("itemTitleClass", "text-base", TextClass),
			classes("itemTextClass", "text-sm", TextClass),
			titleTag(),
			hiddenEls("title", "icon", "itemTitle", "text"),
			legacy(),
		}},
}
