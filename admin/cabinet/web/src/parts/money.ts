import { Refusal } from "../api/client";

// Prices of the API are integers with a number of decimal digits that the shop chose.
export function formatMoney(amount: number, currency: string, digits: number, language: string): string {
  const key = language + currency + digits;
  let format = formats.get(key);
  if (!format) formats.set(key, (format = new Intl.NumberFormat(language, { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits })));
  return format.format(amount / 10 ** digits);
}

// A format takes longer to make than a row of a list to draw.
const formats = new Map<string, Intl.NumberFormat>();

// parseMoney reads a price as people type it and spreadsheets write it: "14,50", "1 450", "1,450.00".
// undefined: not a price, or one with more decimal digits than the shop's prices have.
export function parseMoney(text: string, digits: number): number | undefined {
  const thousands = digits < 3 ? /^(\d{1,3}(?:[.,]\d{3})+|\d+)(?:[.,](\d*))?$/ : /^(\d+)(?:[.,](\d*))?$/;
  const found = thousands.exec(text.replace(/[\s\u00a0\u202f']/g, ""));
  if (!found) return undefined;
  const decimals = found[2] ?? "";
  if (/[1-9]/.test(decimals.slice(digits))) return undefined;
  const amount = Number(found[1]!.replace(/[.,]/g, "") + decimals.slice(0, digits).padEnd(digits, "0"));
  return Number.isSafeInteger(amount) ? amount : undefined;
}

// priceOf is parseMoney for a form: it refuses what is no price, as the API would.
export function priceOf(text: string, digits: number, place: string, detail: string): number {
  const amount = parseMoney(text, digits);
  if (amount === undefined) throw new Refusal(400, "PRICE", detail, [{ code: "PRICE", place, detail }]);
  return amount;
}

export function typedMoney(amount: number, digits: number): string {
  return (amount / 10 ** digits).toFixed(digits);
}

// formatMinor writes an amount as payment providers count it: in the smallest unit of its currency.
export function formatMinor(amount: number, currency: string, language: string): string {
  const format = new Intl.NumberFormat(language, { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
