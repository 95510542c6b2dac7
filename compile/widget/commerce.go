package widget

import "slices"

// commerce lists the widgets that draw products and the parts of the page around them.
var commerce = []Kind{
	{Name: "breadcrumbs", RU: "Хлебные крошки", EN: "Breadcrumbs", Placement: Page, Render: Slot, Drawn: true},
	{Name: "pageHeading", RU: "Заголовок страницы", EN: "Page heading", Placement: Page, Render: Slot, Drawn: true},
	{Name: "html", RU: "Своя разметка", EN: "Own markup", Placement: Page, Render: Section, Nest: "html", Drawn: true,
		Mount: []Prop{
			note(like(reference("documentId", Document), 5), "an html document with a live release; without one nothing is drawn"),
			note(flag("boxed", false), "true puts the document into the content column; the wrapper axes act only then"),
		}},
	{Name: "productListing", RU: "Список товаров", EN: "Product listing", Placement: Page, Render: Slot, Nest: "listing", Drawn: true,
		Props: append(headed(), []Prop{
			note(reference("categoryId", Category), "0 is the section of the page"),
			note(choice("template", "", "", "default"), "there is one template; any other name reads as default"),
			note(flag("showFilter", true), "the first listing on a section or on the home page is filtered and sorted by the address; other listings show no filter"),
			like(within(number("limit", 24), 1, 100), 8),
			note(choice("cardClick", "link", "link", "modal"), "modal opens the product in a window; without a script, and where the shop draws the page itself, the card is a link"),
			flag("showQuickViewButton", false),
			inert(reference("modalTpl", Block), "the window shows the product's own page"),
			choice("modalSize", "std", "small", "std", "full"),
			flag("modalNav", true),
			note(like(choice("source", "category", "category", "children", "shop"), "shop"), "category is the section with all below it, children what lies below it alone, shop all products, the newest first"),
			inert(reference("parentProductId", Product), "products have no parents"),
		}...)},
	{Name: "productCard", RU: "Карточка товара", EN: "Product card", Placement: Page, Render: Slot, Drawn: true, Nest: "card",
		Props: []Prop{like(reference("productId", Product), 7)}},
	{Name: "form", RU: "Форма", EN: "Form", Placement: Page, Render: Section, Nest: "form", Drawn: true,
		Props: own(
			note(like(reference("formId", Form), 3), "a form of the shop; 0 and a deleted one draw nothing"),
			choice("layout", "stack", "stack", "inline"),
			flag("showTitle", true),
			note(text("buttonText", ""), "empty: the default label"),
			note(text("successText", ""), "text shown in place of the sent form; without a script the default text is shown on a page"),
			choice("align", "left", "left", "center"),
		)},
	{Name: "columns", RU: "Колонки", EN: "Columns", Placement: Page, Render: Section, Drawn: true,
		Props: own(
			within(number("count", 2), 1, 4),
			choice("ratio", "equal", "equal", "1-2", "2-1"),
			number("gap", 24),
			choice("align", "top", "top", "center", "bottom"),
			choice("stackOn", "mobile", "mobile", "tablet", "never"),
			note(like(list("cells", group("", list("widgets", reference("", Block)))), []any{map[string]any{"widgets": []any{12}}, map[string]any{"widgets": []any{13}}}), "one entry for each column: the ids of its blocks, in order"),
		)},
	{Name: "cta", RU: "Призыв к действию", EN: "Call to action", Placement: Page, Render: Section, Drawn: true,
		Props: slices.Concat([]Prop{
			choice("align", "center", "left", "center", "right"),
			flag("left", false),
			color("bg"),
			nothing("bgCss", Text),
		}, own(
			within(number("height", 320), 0, 2000),
			style("title"), style("text"),
			like(text("titleText", ""), "Come in and taste"), like(rich("bodyText"), "Every Friday from four."),
			like(text("buttonText", ""), "Where we are"), address("buttonUrl"),
			titleTag(),
		))},
}
