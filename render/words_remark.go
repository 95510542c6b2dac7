package render

import (
	"cmp"
	"strconv"
	"strings"
)

// remarkWords are the texts of reviews and questions, in one language.
type remarkWords struct {
	Reviews, Questions, Verified, Pros, Cons, Answer, Somebody string
	Sort, Photos, ByBuyer, Helpful, HelpfulSaid                string
	None, NoneAsked, Write, Ask, Older, Newer                  string

	// The form.
	Rating, Text, Question, Author, AuthorWhy, AddPhotos, PhotosWhy string
	Send, SendQuestion, Waits, SignIn, SignInWhy, SignedIn          string
	Thanks, ThanksText, ThanksAsked, Back, Closed, Kept, Replaces   string

	sorts    map[string]string // of RemarkSorts
	troubles map[string]string // by the error code of the API
	of       func(stars string) string
	reviews  func(n int) string
	stars    func(n int) string
	photoOf  func(n int, author string) string
}

// Of is the text for a number of stars out of five.
func (w remarkWords) Of(stars string) string { return w.of(stars) }

// Count is the text for a number of reviews.
func (w remarkWords) Count(n int) string { return w.reviews(n) }

// Stars is the text for a number of stars.
func (w remarkWords) Stars(n int) string { return w.stars(n) }

// PhotoOf is the name of a picture of a review.
func (w remarkWords) PhotoOf(n int, author string) string { return w.photoOf(n, author) }

// Trouble is the text for an error code of the API; empty if there is no code.
func (w remarkWords) Trouble(code string) string {
	if code == "" {
		return ""
	}
	return cmp.Or(w.troubles[code], w.troubles["other"])
}

var englishRemarks = remarkWords{
	Reviews: "Reviews", Questions: "Questions", Verified: "Bought here", Pros: "Good", Cons: "Less good", Answer: "Answer of the shop", Somebody: "A buyer",
	Sort: "Sort by", Photos: "Photos of the review", ByBuyer: "Photo by a buyer", Helpful: "Helpful", HelpfulSaid: "Thank you, that was counted",
	None: "Nobody has reviewed this yet. Be the first.", NoneAsked: "Nobody has asked about this yet.", Write: "Write a review", Ask: "Ask a question",
	Older: "Show more", Newer: "Back to the previous ones",
	Rating: "Your rating", Text: "What is it like?", Question: "Your question", Author: "Your name", AuthorWhy: "as shown with the review; if empty, the first name and initial of your account",
	AddPhotos: "Add photos", PhotosWhy: "up to 5, of 10 MB each; location data is removed",
	Send: "Send the review", SendQuestion: "Send the question", Waits: "It will be shown once the shop has checked it.",
	SignIn: "Sign in", SignInWhy: "to keep it with your account", SignedIn: "You are signed in as",
	Thanks: "Thank you", ThanksText: "Your review is waiting for the shop. It will be shown here once it has been checked.",
	ThanksAsked: "Your question is waiting for the shop. It will be shown here with the answer; if you have an account, you will also get an e-mail.",
	Back:        "Back to the product", Closed: "This product does not accept reviews or questions at the moment.", Kept: "Keep this photo",
	Replaces: "You have reviewed this before. Your new review will replace it.",
	sorts:    map[string]string{"helpful": "Most helpful", "newest": "Newest", "rating": "Best rating"},
	troubles: map[string]string{
		"REVIEW_INVALID": "Please choose one to five stars, and keep each text below 5,000 characters and the name below 60.",
		"RATING_MISSING": "Please choose one to five stars.", "TEXT_LONG": "Please keep this below 5,000 characters.", "NAME_LONG": "Please keep the name below 60 characters.",
		"QUESTION_INVALID": "Please write your question, in at most 5,000 characters.", "PHOTOS_MANY": "A review has at most 5 photos.",
		"FILE_TOO_LARGE": "A photo is larger than 10 MB.", "FILE_NOT_IMAGE": "One of the files is not a picture.", "FILE_EMPTY": "One of the files is empty.",
		"IMAGE_FORMAT_UNREADABLE": "This shop cannot read a photo of that kind. Save it as JPEG.",
		"IMAGE_BROKEN":            "A photo is damaged and could not be read.", "IMAGE_TOO_LARGE": "A photo has too many pixels.",
		"STORAGE_LIMIT_REACHED": "The shop has no space for photos at the moment. You can send your text without them.",
		"PHOTOS_WAITING":        "Too many photos are waiting already. Please try again later, or send your text without them.",
		"RATE_LIMITED":          "Too many submissions at once. Please try again in a few minutes.", "QUESTIONS_WAITING": "Five of your questions are already waiting for the shop.",
		"REMARKS_WAITING": "Too many submissions are waiting for the shop. Please sign in with your e-mail address, or try again later.", "COMMENTS_DISABLED": "This product accepts none at the moment.",
		"other": "That could not be sent. Please try again.",
	},
	of:      func(stars string) string { return stars + " of 5 stars" },
	photoOf: func(n int, author string) string { return "Photo " + strconv.Itoa(n) + " of the review by " + author },
	stars: func(n int) string {
		if n == 1 {
			return "1 star"
		}
		return strconv.Itoa(n) + " stars"
	},
	reviews: func(n int) string {
		if n == 1 {
			return "1 review"
		}
		return strconv.Itoa(n) + " reviews"
	},
}

var russianRemarks = remarkWords{
	Reviews: "Отзывы", Questions: "Вопросы", Verified: "Покупка подтверждена", Pros: "Достоинства", Cons: "Недостатки", Answer: "Ответ магазина", Somebody: "Покупатель",
	Sort: "Сортировка", Photos: "Фотографии отзыва", ByBuyer: "Фото покупателя", Helpful: "Полезно", HelpfulSaid: "Спасибо, учтено",
	None: "Отзывов пока нет. Напишите первый.", NoneAsked: "Вопросов пока нет.", Write: "Написать отзыв", Ask: "Задать вопрос",
	Older: "Показать ещё", Newer: "К предыдущим",
	Rating: "Ваша оценка", Text: "Как вам товар?", Question: "Ваш вопрос", Author: "Ваше имя", AuthorWhy: "так оно будет показано; иначе — имя и первая буква из вашего аккаунта",
	AddPhotos: "Добавить фотографии", PhotosWhy: "до 5, каждая до 10 МБ; сведения о месте съёмки удаляются",
	Send: "Отправить отзыв", SendQuestion: "Отправить вопрос", Waits: "Появится здесь, когда магазин его прочтёт.",
	SignIn: "Войдите", SignInWhy: "чтобы это хранилось в вашем аккаунте", SignedIn: "Вы вошли как",
	Thanks: "Спасибо", ThanksText: "Отзыв ждёт магазина и появится здесь, когда его прочтут.",
	ThanksAsked: "Вопрос ждёт магазина и появится здесь вместе с ответом; тем, у кого есть аккаунт, придёт и письмо.",
	Back:        "Вернуться к товару", Closed: "О товаре сейчас нельзя написать.", Kept: "Оставить фотографию",
	Replaces: "Вы уже оставляли отзыв. Новый займёт его место.",
	sorts:    map[string]string{"helpful": "Сначала полезные", "newest": "Сначала новые", "rating": "Сначала высокие оценки"},
	troubles: map[string]string{
		"REVIEW_INVALID": "Поставьте от одной до пяти звёзд; тексты — до 5000 знаков, имя — до 60.",
		"RATING_MISSING": "Поставьте от одной до пяти звёзд.", "TEXT_LONG": "Не больше 5000 знаков, пожалуйста.", "NAME_LONG": "Имя — не больше 60 знаков, пожалуйста.",
		"QUESTION_INVALID": "Напишите вопрос, не больше 5000 знаков.", "PHOTOS_MANY": "В отзыве не больше 5 фотографий.",
		"FILE_TOO_LARGE": "Фотография больше 10 МБ.", "FILE_NOT_IMAGE": "Один из файлов — не картинка.", "FILE_EMPTY": "Один из файлов пуст.",
		"IMAGE_FORMAT_UNREADABLE": "Этот магазин не читает фотографии такого вида. Сохраните её в JPEG.",
		"IMAGE_BROKEN":            "Фотография повреждена, её не удалось прочесть.", "IMAGE_TOO_LARGE": "В фотографии слишком много точек.",
		"STORAGE_LIMIT_REACHED": "У магазина сейчас нет места для фотографий. Слова можно отправить без них.",
		"PHOTOS_WAITING":        "Слишком много фотографий уже ждёт. Попробуйте позже или отправьте отзыв без них.",
		"RATE_LIMITED":          "Слишком много сразу. Попробуйте через несколько минут.", "QUESTIONS_WAITING": "Пять ваших вопросов уже ждут магазина.",
		"REMARKS_WAITING": "У магазина и так очень много ждёт ответа. Войдите по своей почте или попробуйте позже.", "COMMENTS_DISABLED": "Сейчас о товаре нельзя написать.",
		"other": "Отправить не получилось. Попробуйте ещё раз.",
	},
	of: func(stars string) string { return strings.Replace(stars, ".", ",", 1) + " из 5 звёзд" },
	photoOf: func(n int, author string) string {
		return "Фото " + strconv.Itoa(n) + " к отзыву, " + author
	},
	stars: func(n int) string {
		return strconv.Itoa(n) + " " + russianPlural(n, "звезда", "звезды", "звёзд")
	},
	reviews: func(n int) string {
		return strconv.Itoa(n) + " " + russianPlural(n, "отзыв", "отзыва", "отзывов")
	},
}

// russianPlural selects the form of a noun after a number.
func russianPlural(n int, one, few, many string) string {
	switch {
	case n%10 == 1 && n%100 != 11:
		return one
	case n%10 >= 2 && n%10 <= 4 && (n%100 < 12 || n%100 > 14):
		return few
	}
	return many
}
