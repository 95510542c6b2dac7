package render

// productWords are the texts used only on a product's page, in one language.
type productWords struct {
	Amiss   string // for a value that no variant combines with the other selected values
	Returns string
	Seen    string // the products recently viewed in this browser
	Zoom    string // label of a picture's link
	Bar     string // label of the bar at the lower edge of a phone's screen
}

var englishProduct = productWords{
	Amiss: "not available with your other choices", Returns: "Returns", Seen: "Recently viewed", Zoom: "Zoom in", Bar: "Buy",
}

var russianProduct = productWords{
	Amiss: "нет в выбранном сочетании", Returns: "Возврат", Seen: "Вы недавно смотрели", Zoom: "Рассмотреть", Bar: "Покупка",
}
