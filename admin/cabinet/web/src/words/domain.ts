// Words about a domain of the shop's own.
import type { Phrases } from ".";

export const words = {
  domain: ["Domain", "Домен"],
  domainText: ["The shop keeps its address until one of these records is in the DNS of the domain. It is looked for every few seconds.", "Магазин сохранит адрес, пока одной из этих записей нет в DNS домена. Проверка идёт каждые несколько секунд."],
  certificateText: ["The domain is yours. Its certificate is being ordered; the shop keeps its address until it has it, mostly within a minute.", "Домен подтверждён. Сертификат для него заказан; магазин сохранит адрес, пока его нет, — обычно это меньше минуты."],
  certificateUntil: ["Its certificate is valid until {date} and is renewed before that.", "Сертификат действует до {date} и продлевается заранее."],
  connectDomain: ["Connect the domain", "Подключить домен"],
  recordName: ["Name", "Имя"],
  recordValue: ["Value", "Значение"],
  recordSeen: ["found", "найдена"],
} satisfies Phrases;
