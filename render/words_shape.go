package render

// shapeWords are the texts about the shop as a whole, in one language.
type shapeWords struct {
	Phone, Contacts, Socials, Legal string
	Colors, AsSystem, Light, Dark   string
}

var englishShape = shapeWords{
	Phone: "Call us:", Contacts: "Contacts", Socials: "Find us elsewhere", Legal: "Seller",
	Colors: "Colours", AsSystem: "As the system", Light: "Light", Dark: "Dark",
}

var russianShape = shapeWords{
	Phone: "Позвонить:", Contacts: "Контакты", Socials: "Мы в сети", Legal: "Продавец",
	Colors: "Цвета", AsSystem: "Как в системе", Light: "Светлые", Dark: "Тёмные",
}
