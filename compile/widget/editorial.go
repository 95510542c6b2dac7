package widget

// The aspect ratios that article pictures are cropped to.
var coverForms = []string{"3/4", "4/3", "3/2", "16/9", "1/1"}

// byDesign marks a setting that the specification names without showing its default.
func byDesign(p Prop) Prop { p.Own = true; return p }

// editorial lists the widgets that draw articles.
var editorial = []Kind{
	{Name: "articleGrid", RU: "Сетка статей", EN: "Article grid", Placement: Page, Render: Slot, Nest: "articleGrid", Drawn: true,
		Props: append(headed(), []Prop{
			choice("view", "tiles", "tiles", "masonry", "rows"),
			like(byDesign(within(number("columns", 3), 1, 6)), 4),
			byDesign(within(number("columnsTablet", 2), 1, 6)),
			byDesign(within(number("columnsMobile", 1), 1, 6)),
			note(choice("coverAspect", "3/2", coverForms...), "the default of the view rows is 4/3"),
			within(number("limit", 20), 1, 48),
			note(choice("paging", "auto", "none", "pages", "more", "auto"), "auto loads three pages near the end, then shows a button; the page links stay in the markup"),
			note(reference("categoryId", Category), "0 is the rubric of the page with its descendants; on a page that is no rubric, all articles"),
			byDesign(flag("rubricsVisible", true)),
			byDesign(note(flag("searchVisible", false), "the search submits ?q=")),
			list("hiddenParts", choice("", "", "cover", "badge", "rubric", "date", "author", "announce", "readMore")),
			byDesign(choice("authorPosition", "inside", "inside", "below")),
			byDesign(choice("datePosition", "meta", "meta", "title", "author")),
			byDesign(within(number("rowCoverWidth", 280), 160, 640)),
			byDesign(note(within(number("rowMaxWidth", 0), 0, 3000), "0 is no bound")),
			byDesign(choice("readMoreStyle", "none", "link", "button", "none")),
			style("cardStyle"), style("coverStyle"), style("textStyle"), style("rubricsStyle"), style("searchStyle"), style("badgeStyle"),
			style("headlineStyle"), style("rubricStyle"), style("datesStyle"), style("announceStyle"), style("authorStyle"),
		}...)},
	{Name: "articleHeader", RU: "Шапка статьи", EN: "Article header", Placement: Page, Render: Slot, Nest: "articleHeader", Drawn: true,
		Items: own(file("image_id"), text("alt", "")),
		Props: []Prop{
			text("titleTag", "h1"),
			byDesign(note(choice("coverSource", "article", "article", "custom"), "custom is the picture of the section's first item")),
			byDesign(choice("coverPosition", "after", "before", "after")),
			byDesign(choice("coverAspect", "auto", append([]string{"auto"}, coverForms...)...)),
			byDesign(choice("coverFit", "cover", "cover", "contain")),
			byDesign(within(number("authorPhotoSize", 48), 24, 96)),
			like(list("tags", group("", text("key", ""), text("text", ""), address("target"))), []any{map[string]any{"key": "new", "text": "New", "target": "/news"}}),
		}},
	{Name: "articleListing", RU: "Подборка статей", EN: "Article listing", Placement: Page, Render: Slot, Nest: "articles", Drawn: true,
		Items: card(),
		Props: []Prop{
			byDesign(title()),
			byDesign(choice("source", "news", "news", "manual")),
			within(number("limit", 3), 1, 24),
			like(byDesign(choice("layout", "feature", "feature", "feature-list", "compact", "numbered")), "compact"),
		}},
	{Name: "articleRubrics", RU: "Рубрики", EN: "Rubrics", Placement: Page, Render: Slot, Nest: "articleRubrics", Drawn: true,
		Props: []Prop{like(byDesign(choice("layout", "list", "list", "chips")), "chips")}},
}
