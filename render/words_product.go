package render

// productWords are the texts of a product's page alone, in one language.
type productWords struct {
	Amiss   string // of a value that no variant has together with the others that are chosen
	Returns string
	Seen    string // the products that this browser has shown lately
	Zoom    string // what a picture's link does
	Bar     string // what the bar at the lower edge of a phone is
}

var englishProduct = productWords{
	Amiss: "not with the rest of your choice", Returns: "Returns", Seen: "Recently seen", Zoom: "Look closer", Bar: "Buy",
}

var russianProduct = productWords{
	Amiss: "нет в выбранном сочетании", Returns: "Возврат", Seen: "Вы недавно смотрели", Zoom: "Рассмотреть", Bar: "Покупка",
}
