package render

import "strconv"

var russianBuying = buyWords{
	Update: "Обновить", Checkout: "Оформить заказ", GoOn: "Продолжить покупки", Before: "Товары", Discount: "Скидка", Units: "Товаров", Sets: "В наборе",
	Code: "Промокод", CodeApply: "Применить", CodeDrop: "Убрать промокод", CodeWorks: "Промокод применён",
	LineShort: "Осталось меньше, чем вы выбрали", LineOut: "Нет в наличии", CartShort: "Некоторых товаров уже нет в нужном количестве. Измените его перед оформлением.",
	Gift: "Подарок", Free: "Бесплатно", Goods: "Товары", Details: "Подробнее", ToCart: "В корзину", AddedTitle: "Добавлено в корзину", OpenCart: "Перейти в корзину",

	Contact: "Контакты", Name: "Имя", Phone: "Телефон", Email: "Почта", EmailWhy: "Пришлём подтверждение", Optional: "необязательно",
	Delivery: "Доставка", DeliveryFree: "Бесплатно", FreeFrom: "бесплатно от", NoDelivery: "О доставке магазин договорится с вами после заказа.",
	Address: "Адрес", KnownAddress: "Один из ваших адресов", Country: "Страна", Region: "Регион", City: "Город", Street: "Улица, дом, квартира", Postcode: "Индекс",
	AddressNote: "Примечание для курьера", Comment: "Комментарий", CommentWhy: "Что магазину нужно знать", Summary: "Ваш заказ", Place: "Оформить заказ",
	Pay: "Оплата", PayNote: "Об оплате вы договоритесь с магазином.", Grand: "К оплате", Including: "В том числе", HaveAccount: "Есть аккаунт? Войдите",
	PriceWas: "Пока вы были здесь, цены изменились. Было", PriceIs: "стало", PriceAgree: "Проверьте заказ и, если согласны, оформите его ещё раз.",

	Order: "Заказ", Orders: "Ваши заказы", OrderMade: "Спасибо, заказ оформлен", OrderMadeText: "Магазин получил его и свяжется с вами. На этой странице видно, что с ним происходит.",
	Placed: "Оформлен", Status: "Статус", Again: "Повторить заказ", Messages: "Сообщения", MessageNone: "Есть вопрос по заказу? Напишите магазину.",
	MessageSend: "Отправить", MessageYour: "Ваше сообщение", You: "Вы", Shop: "Магазин", New: "новое", PayNow: "Оплатить", PaidNow: "Оплата получена",
	PaidNowText: "Спасибо! Магазин уже знает.", PayWaits: "Ждём подтверждения оплаты", PayWaitsText: "Платёжная система ещё не ответила. Страница обновится сама.",
	PayRefused: "Оплата не прошла", PayRefusedText: "Деньги не списаны. Попробуйте ещё раз или выберите другой способ.",
	Paid: "Оплачен", Refunding: "Деньги возвращаются", Refunded: "Деньги возвращены", HowToPay: "Как оплатить", Unpaid: "Ещё не оплачен",
	KeepOrder: "Сохраните этот заказ", KeepOrderText: "Создайте аккаунт, и вы найдёте его с любого устройства.", SignInToSee: "Войдите, чтобы увидеть заказы с других устройств",

	SignIn: "Вход", SignInText: "Заказы, адреса и избранное в одном месте.", Register: "Впервые здесь", Create: "Создать аккаунт", RegisterText: "Ваша корзина никуда не денется.",
	Password: "Пароль", PasswordNew: "Новый пароль", PasswordRule: "Не меньше 8 символов", WithCode: "Войти по коду", CodeSend: "Прислать код",
	CodeSent: "Код отправлен на", CodeOf: "Код из письма", CodeEnter: "Войти", Forgot: "Забыли пароль?",
	ForgotText: "Пришлём ссылку, по которой можно задать новый.", ForgotSend: "Прислать ссылку", ForgotSent: "Если такой аккаунт есть, ссылка уже в пути.",
	ResetTitle: "Новый пароль", ResetDone: "Новый пароль сохранён.", Profile: "О вас", Save: "Сохранить", Saved: "Сохранено.", Leave: "Выйти",
	Addresses: "Адреса", AddAddress: "Добавить адрес", EditAddress: "Изменить адрес", Default: "Основной адрес", MakeDefault: "Сделать основным",
	Edit: "Изменить", Remove: "Удалить", RemoveAccount: "Удалить аккаунт", RemoveText: "Аккаунт, адреса и списки удаляются насовсем. Заказы останутся у магазина без вашего имени.",
	RemoveSure: "Удалить насовсем", Export: "Скачать всё, что о вас хранится", Hello: "Здравствуйте", Confirm: "Подтвердить", EmailNew: "Новая почта", ChangeEmail: "Сменить почту", ChangePassword: "Сменить пароль",
	PasswordNow: "Нынешний пароль", OrCode: "или код из письма", CodeSentNote: "Код отправлен на вашу почту.",
	EmailAsked: "Код отправлен на новый адрес. Он заменит прежний, когда вы введёте код.", AccountGone: "Ваш аккаунт удалён.", Choose: "Выбрать",

	statuses: map[string]string{"new": "Оформлен", "processing": "В работе", "completed": "Выполнен", "cancelled": "Отменён"},
	troubles: map[string]string{
		"CONTACT_REQUIRED": "Заполните это поле.", "CART_EMPTY": "Корзина пуста.", "COMPANY_UNAVAILABLE": "Магазин сейчас не принимает заказы.",
		"ORDER_TOO_LARGE": "Заказ слишком большой. Разделите его.", "PRICE_CHANGED": "Цены изменились. Проверьте новую сумму.",
		"PROMO_CODE_EXHAUSTED": "Этот промокод только что закончился.", "CAMPAIGN_BUDGET_SPENT": "Акция по этому промокоду закончилась.",
		"out_of_stock":     "Что-то из заказа только что закончилось. Измените количество.",
		"ADDRESS_REQUIRED": "Для этой доставки нужен адрес.", "DELIVERY_NOT_FOUND": "Такой доставки больше нет. Выберите другую.",
		"PRODUCT_NOT_FOUND": "Этот товар больше не продаётся.", "CART_FULL": "Корзина заполнена: в ней 300 разных товаров.",
		"RATE_LIMITED": "Слишком часто. Попробуйте через минуту.", "INVALID_CREDENTIALS": "Неверная почта или пароль.",
		"EMAIL_TAKEN": "Аккаунт с этой почтой уже есть. Войдите.", "EMAIL_INVALID": "Это не адрес почты.",
		"PASSWORD_TOO_SHORT": "В пароле должно быть не меньше 8 символов.", "CODE_INVALID": "Код неверный или устарел. Запросите новый.",
		"RESET_INVALID": "Ссылка уже использована или устарела. Запросите новую.", "LAST_OWNER": "Вы единственный владелец магазина. Сначала назначьте другого.",
		"ROLE_REQUIRED":                "Вы работаете в магазине: это делается там, где им управляют.",
		"PAYMENT_PROVIDER_UNAVAILABLE": "Платёжная система не отвечает. Заказ сохранён, попробуйте чуть позже.",
		"PAYMENT_PROVIDER_REFUSED":     "Платёжная система не приняла платёж. Заказ сохранён: спросите магазин или оплатите иначе.",
		"PAYMENT_METHOD_INACTIVE":      "Этот способ оплаты больше не предлагается. Выберите другой.",
		"ORDER_CANCELLED":              "Этот заказ отменён.",
		"INVALID_REQUEST":              "Проверьте, что вы написали.", "TEXT_TOO_LONG": "Это слишком длинно. Сократите, пожалуйста.", "other": "Не получилось. Попробуйте ещё раз.",
	},
	rejected: map[string]string{
		"NOT_FOUND": "Такого промокода нет.", "NOT_STARTED": "Промокод ещё не действует.", "EXPIRED": "Срок промокода истёк.", "EXHAUSTED": "Промокод закончился.",
		"BUDGET_SPENT": "Акция по этому промокоду закончилась.", "ALREADY_USED": "Вы уже использовали этот промокод.", "MIN_TOTAL": "Сумма корзины мала для этого промокода.",
		"MIN_QUANTITY": "Для этого промокода нужно больше товаров.", "NOT_APPLICABLE": "На эти товары промокод не действует.", "NEED_AUTH": "Такого промокода нет. Если он только ваш, сначала войдите.",
	},
	FreeDelivery: "бесплатная доставка", Coupons: "Ваши промокоды", CouponFrom: "от", CouponUntil: "до", CouponTake: "Применить",
	fromN:   func(n int64) string { return "от " + strconv.FormatInt(n, 10) + " шт." },
	moreFor: func(more, what string) string { return "Ещё " + more + ", и будет: " + what },
	short:   func(n int64) string { return "Осталось " + strconv.FormatInt(n, 10) },
	units: func(n int64) string {
		number := strconv.FormatInt(n, 10)
		switch {
		case n%10 == 1 && n%100 != 11:
			return number + " товар"
		case n%10 >= 2 && n%10 <= 4 && (n%100 < 12 || n%100 > 14):
			return number + " товара"
		}
		return number + " товаров"
	},
}
