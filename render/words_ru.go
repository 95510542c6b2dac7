package render

import (
	"strconv"

	"vitrine/compile/lead"
	"vitrine/internal/shop"
)

var russian = words{
	Remark:  russianRemarks,
	Product: russianProduct,
	Shape:   russianShape,
	Find:    russianFinding,
	Lang:    "ru",

	SkipLink: "К содержанию", Menu: "Меню", Sections: "Разделы", Breadcrumbs: "Навигация", HomeCrumb: "Главная",
	Cart: "Корзина", Wishlist: "Избранное", Account: "Кабинет",

	ShopBySection: "Разделы магазина", NewIn: "Новинки", Journal: "Из журнала", SeeAll: "Смотреть все", Browse: "Перейти к товарам",

	EmptyListing: "Здесь пока пусто. Загляните в другие разделы.",
	EmptyRubric:  "Здесь пока нет публикаций.",
	BackHome:     "Вернуться в магазин",
	Previous:     "Назад", Next: "Вперёд", Pages: "Страницы", PageNumber: "Страница",
	AddToCart: "В корзину", Added: "Добавлено в корзину", Save: "В избранное", Saved: "В избранном",
	InStock: "В наличии", SoldOut: "Нет в наличии",
	SoldOutNote: "Этот товар закончился. Он может вернуться: добавьте его в избранное.",
	PriceOnAsk:  "Цена по запросу",
	AskPrice:    "Узнать цену",
	FromPrice:   "от",
	NoReminders: "Без напоминаний", NoRemindersAsk: "Магазин один раз напоминает об оставленной корзине. Нажмите кнопку, чтобы больше не получать его напоминаний.",
	NoRemindersDone: "Вы больше не получите напоминаний от этого магазина.",
	OldPrice:        "Раньше", Levels: "Цены от количества", SKU: "Артикул", Brand: "Бренд", CountryOfOrigin: "Страна производства", Weight: "Вес", Grams: "г", Kilograms: "кг", Parts: "В наборе", Facts: "Характеристики", Description: "Описание", Choose: "Выберите",
	Related: "Вам может понравиться", Photos: "Фотографии", Photo: "Фото", NoPhoto: "Фото пока нет", Video: "Видео", Audio: "Звук", View: "Вид", Pause: "Пауза", Play: "Пуск", QuickView: "Быстрый просмотр", Whole: "Открыть страницу товара", Table: "Таблица",
	Search: "Поиск", ShowMore: "Показать ещё", NothingFound: "Ничего не найдено. Попробуйте другие слова.", By: "Автор:", MoreNews: "Читайте также", ReadMore: "Читать дальше",
	NotFound:     "Такой страницы нет",
	NotFoundText: "Возможно, в адресе опечатка или страница переехала. Можно продолжить отсюда.",
	MaybeLike:    "Новинки магазина",
	Closed:       "Скоро откроемся", ClosedText: "Магазин пока открыт не для всех. Если вам дали PIN-код, введите его.",
	Pin: "PIN-код", PinWrong: "PIN-код не подошёл. Попробуйте ещё раз.",
	pinSeconds: "Попытки проверяются по очереди. Введите ещё раз через %d с.", pinMinutes: "Попытки проверяются по очереди. Введите ещё раз через %d мин.",
	PinEnter: "Войти", NoCookies: "Страница открыта по http без шифрования, и браузер не сохраняет cookie этого магазина. Корзина, вход и пароли работают только по https.",
	Shut: "Эта страница открыта не для всех", ShutText: "Если вам дали пароль, введите его.",
	ShutWho: "Она открыта для покупателей магазина, которые вошли в свой кабинет.", ShutPassword: "Пароль",
	ShutWrong:  "Пароль не подошёл или больше не действует.",
	ShutSignIn: "Войти в кабинет", ShutStranger: "Вы вошли в кабинет, но для него эта страница не открыта.",
	ShutOther: "Войти под другим именем",
	Total:     "Итого", Quantity: "Количество", Remove: "Удалить",
	Less: "На одну меньше", More: "На одну больше",
	Preview: "Черновик: посетители этого пока не видят", PreviewLeave: "Выйти",
	FormSend: "Отправить", FormThanks: "Спасибо", FormThanksText: "Мы получили ваши ответы.", FormBack: "Продолжить", FormClose: "Закрыть",
	FormCheck: "Проверьте отмеченные поля.", FormBusy: "Сейчас форму отправляет слишком много людей. Попробуйте через минуту.",
	FormFailed: "Отправить не получилось. Попробуйте ещё раз.",
	FormMore:   "Прочитать", FormKept: "Приложено: %", FormMB: "МБ", FormKB: "КБ", FormPoint: ",",
	FormRules: map[lead.Rule]string{
		lead.Required: "Заполните это поле.", lead.Type: "Это сюда не подходит.", lead.Option: "Выберите один из вариантов.",
		lead.MinLength: "Символов должно быть не меньше %.", lead.MaxLength: "Символов должно быть не больше %.", lead.Form: "Напишите в том виде, который указан.",
		lead.Min: "Не меньше %.", lead.Max: "Не больше %.", lead.MaxSize: "Файл не больше %.",
	},
	FormTypes: map[lead.Kind]string{
		lead.Email: "Напишите адрес почты, например anna@example.com.", lead.Phone: "Напишите номер телефона, например +7 900 000-00-00.",
		lead.Number: "Напишите число.", lead.Date: "Напишите дату.", lead.File: "Такие файлы не принимаются. Пришлите картинку или документ.",
	},

	Buy: russianBuying, Paper: russianPaper,
	zones: map[shop.Zone]zoneWords{
		shop.ZoneCart:      {"Корзина", "Корзина пуста", "Здесь появятся товары, которые вы выберете."},
		shop.ZoneWishlist:  {"Избранное", "Пока ничего не сохранено", "Нажмите «В избранное» на странице товара."},
		shop.ZoneCheckout:  {"Оформление заказа", "Пока нечего оформлять", "Сначала положите что-нибудь в корзину."},
		shop.ZoneAccount:   {"Личный кабинет", "", ""},
		shop.ZoneOrders:    {"Заказы", "Заказов пока нет", "Здесь появятся ваши заказы в этом магазине."},
		shop.ZoneDeals:     {"Предложения", "Предложений пока нет", "Здесь появятся товары со скидкой."},
		shop.ZoneDashboard: {"Управление", "Здесь нечем управлять", "Магазином управляют в другом месте."},
	},
	months: [12]string{"января", "февраля", "марта", "апреля", "мая", "июня",
		"июля", "августа", "сентября", "октября", "ноября", "декабря"},
	products: func(n int) string {
		word := "товаров"
		switch {
		case n%10 == 1 && n%100 != 11:
			word = "товар"
		case n%10 >= 2 && n%10 <= 4 && (n%100 < 12 || n%100 > 14):
			word = "товара"
		}
		return strconv.Itoa(n) + " " + word
	},
}
