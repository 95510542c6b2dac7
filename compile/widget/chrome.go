package widget

// chrome lists the widgets of header and footer. The specification names them, and of their
// settings only siteMenu.level2 and siteMenu.labelStyle.size.
var chrome = []Kind{
	{Name: "siteHeader", RU: "Шапка сайта", EN: "Site header", Placement: Chrome, Render: Section, Drawn: true,
		Props: own(
			choice("logoPosition", "left", "left", "center"),
			note(file("logoId"), "a file of the shop; empty shows the logo of the settings, else the name"),
			within(number("logoHeight", 40), 16, 160),
			flag("sticky", false),
			note(flag("showSearch", true), "the box that searches the shop, with suggestions"),
			flag("showCart", true),
			flag("showFavorites", true),
			flag("showAccount", true),
			like(text("phone", ""), "+44 20 7946 0000"),
			color("bg"),
			flag("borderBottom", true),
		)},
	{Name: "siteMenu", RU: "Меню сайта", EN: "Site menu", Placement: Chrome, Render: Section, Drawn: true,
		Props: own(
			note(like(flag("level2", false), true), "a dropdown of the category tree that opens on click"),
			choice("labelKind", "text", "text", "button", "icon"),
			note(style("labelStyle"), "labels of the kind text are drawn at size + 2"),
			choice("orientation", "horizontal", "horizontal", "vertical"),
			choice("align", "left", "left", "center", "right"),
			number("gap", 24),
			within(number("maxItems", 12), 1, 50),
			flag("showHome", false),
		)},
	{Name: "siteFooter", RU: "Подвал сайта", EN: "Site footer", Placement: Chrome, Render: Section, Drawn: true,
		Props: own(
			within(number("columns", 3), 1, 6),
			flag("showMenu", true),
			note(flag("showContacts", true), "from the shop's settings"),
			note(flag("showSocial", true), "from the shop's settings"),
			like(text("copyright", ""), "© Tea & Co"),
			color("bg"),
			color("textColor"),
		)},
}

// containers lists the kinds that hold blocks or plain text rather than a widget.
var containers = []Kind{
	{Name: "group", RU: "Группа", EN: "Group", Placement: Page, Render: Section, Container: true, Drawn: true,
		Props: []Prop{
			note(like(list("widgets", reference("", Block)), []any{12, 13}), "ids of blocks in the order they are drawn"),
			note(group("grid", list("main", reference("", Block)), list("aside", reference("", Block))), "the same blocks in two columns; an article's own flow into main"),
		}},
	{Name: "zone", RU: "Зона", EN: "Zone", Placement: Page, Render: Section, Container: true, Drawn: true, Legacy: "group",
		Props: []Prop{
			note(list("refs", reference("", Block)), "in a group: the blocks that it draws; among the blocks of a page: their order"),
			flag("hideSiteHeader", false),
			flag("hideSiteFooter", false),
			flag("hideSystemBlock", false),
		}},
	{Name: "chromeKit", RU: "Набор шапки и подвала", EN: "Chrome kit", Placement: Chrome, Render: Section, Container: true, Drawn: true, Legacy: "group", Nest: "kit",
		Props: []Prop{
			note(list("top", reference("", Block)), "the blocks of the header: of the slot that contains the kit, otherwise of the page it is attached to"),
			note(list("bottom", reference("", Block)), "the blocks of the footer"),
		}},
	{Name: "heading", RU: "Заголовок", EN: "Heading", Placement: Page, Render: Section, Drawn: true, Legacy: "pageHeading"},
	{Name: "text", RU: "Текст", EN: "Text", Placement: Page, Render: Section, Drawn: true,
		Props: own(note(like(rich("text"), "<h2>Our tea</h2><p>Picked by hand.</p>"), "plain text, or small HTML; beside payload.origin builder tags are printed literally"))},
}
