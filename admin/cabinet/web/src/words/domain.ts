// Words about a domain of the shop's own.
import type { Phrases } from ".";

export const words = {
  domain: ["Domain", "Домен"],
  domainText: ["The shop keeps its address until one of these records is in the DNS of the domain. It is looked for every few seconds.", "Магазин сохранит адрес, пока одной из этих записей нет в DNS домена. Проверка идёт каждые несколько секунд."],
  connectDomain: ["Connect the domain", "Подключить домен"],
  recordName: ["Name", "Имя"],
  recordValue: ["Value", "Значение"],
  recordSeen: ["found", "найдена"],
} satisfies Phrases;
