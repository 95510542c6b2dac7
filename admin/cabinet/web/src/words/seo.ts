// Words of the fields about search engines.
import type { Phrases } from ".";

export const words = {
  seo: ["Search engines", "Поисковые системы"],
  found: ["As it may be found", "Как это может выглядеть в поиске"],
  metaTitle: ["Title", "Заголовок"],
  metaDescription: ["Description for results", "Описание для результатов"],
  pageTitle: ["Heading on the page", "Заголовок на странице"],
  pageTitleHint: ["Empty: the name", "Пусто: название"],
  metaKeywords: ["Keywords", "Ключевые слова"],
  ogImage: ["Picture when shared", "Картинка при пересылке"],
  ogImageURL: ["Address of that picture elsewhere", "Адрес этой картинки на другом сайте"],
  ogImageURLHint: ["Only if it is not in the library", "Только если её нет в библиотеке"],
  noindex: ["Keep out of search results", "Не показывать в поиске"],
  nofollow: ["Search engines do not follow its links", "Поисковики не идут по её ссылкам"],
  alternates: [
    "{n} version in another language is set by a call; it stays as it is.|{n} versions in other languages are set by a call; they stay as they are.",
    "Вызовом задана {n} версия на другом языке; она сохранится.|Вызовом заданы {n} версии на других языках; они сохранятся.|Вызовом задано {n} версий на других языках; они сохранятся.",
  ],
} satisfies Phrases;
