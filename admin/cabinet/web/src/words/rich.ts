// Words of the editor of texts.
import type { Phrases } from ".";

export const words = {
  bold: ["Bold", "Полужирный"],
  italic: ["Italic", "Курсив"],
  underline: ["Underlined", "Подчёркнутый"],
  strike: ["Struck through", "Зачёркнутый"],
  plain: ["Clear formatting", "Убрать оформление"],
  heading: ["Heading {n}", "Заголовок {n}"],
  bulletList: ["List", "Список"],
  orderedList: ["Numbered list", "Нумерованный список"],
  quote: ["Quotation", "Цитата"],
  link: ["Link", "Ссылка"],
  unlink: ["Remove link", "Убрать ссылку"],
  redo: ["Redo", "Повторить"],
  linkAddress: ["Address of the link", "Адрес ссылки"],
  linkOutside: ["Opens in a new tab", "Откроется в новой вкладке"],
  linkInside: ["Opens in the same tab", "Откроется в той же вкладке"],
  asSource: ["Edit as HTML", "Править как HTML"],
  asText: ["Edit as text", "Править как текст"],
  lossy: [
    "This text has parts that the editor cannot show, such as tables or pictures. It is edited as HTML, so that nothing is lost.",
    "В тексте есть части, которые редактор не показывает, например таблицы или картинки. Он правится как HTML, чтобы ничего не потерять.",
  ],
} satisfies Phrases;
