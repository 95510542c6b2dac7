package render

import "strings"

// findWords are the texts of search and list filters, in one language.
type findWords struct {
	Shop, All, Articles, Sections, Products   string
	Filter, Price, From, To, InStock, Reduced string
	Show, Clear, Without, None, Bare          string
	Sort, Usual, Match, Meant                 string
	found, near                               string            // % is replaced by the search words
	sorts                                     map[string]string // of Sorts
}

// Found is the heading of the results for the search words.
func (w findWords) Found(words string) string { return strings.Replace(w.found, "%", words, 1) }

// Near announces that there are only similar results.
func (w findWords) Near(words string) string { return strings.Replace(w.near, "%", words, 1) }

// span formats a range with one bound or both.
func (w findWords) span(low, high string) string {
	switch {
	case low == "":
		return strings.ToLower(w.To) + " " + high
	case high == "":
		return strings.ToLower(w.From) + " " + low
	}
	return low + " – " + high
}

var englishFinding = findWords{
	Shop: "Search the shop", All: "Everything in the shop", Articles: "Articles", Sections: "Sections", Products: "Products",
	Filter: "Filter", Price: "Price", From: "From", To: "Up to", InStock: "In stock", Reduced: "Reduced",
	Show: "Show", Clear: "Clear all", Without: "Remove:", None: "Nothing matches all of these. Remove a filter to see more.", Bare: "There is nothing for sale here yet.",
	Sort: "Sort", Usual: "Our choice", Match: "Best match", Meant: "Did you mean",
	found: "Results for “%”", near: "There are no results for “%”; these are similar.",
	sorts: map[string]string{"new": "Newest", "price": "Cheapest first", "-price": "Dearest first", "rating": "Best rated", "name": "By name"},
}

var russianFinding = findWords{
	Shop: "Поиск по магазину", All: "Все товары магазина", Articles: "Статьи", Sections: "Разделы", Products: "Товары",
	Filter: "Фильтр", Price: "Цена", From: "От", To: "До", InStock: "В наличии", Reduced: "Со скидкой",
	Show: "Показать", Clear: "Сбросить всё", Without: "Убрать:", None: "Ничего не подходит под все условия. Уберите что-нибудь из них.", Bare: "Здесь пока нет товаров.",
	Sort: "Порядок", Usual: "Наш выбор", Match: "Самое похожее", Meant: "Возможно, вы искали",
	found: "Результаты по запросу «%»", near: "С названием «%» ничего нет; вот похожее.",
	sorts: map[string]string{"new": "Сначала новые", "price": "Сначала дешёвые", "-price": "Сначала дорогие", "rating": "По оценкам", "name": "По названию"},
}
