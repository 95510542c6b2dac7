// Prices of the API are integers with a number of decimal digits that the shop chose.
export function formatMoney(amount: number, currency: string, digits: number, language: string): string {
  return new Intl.NumberFormat(language, { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits }).format(amount / 10 ** digits);
}

// parseMoney reads a price as people type it: "14,50", "1 450". undefined: not a price.
export function parseMoney(text: string, digits: number): number | undefined {
  const plain = text.replace(/[\s\u00a0\u202f]/g, "").replace(",", ".");
  if (!/^\d+(\.\d+)?$/.test(plain)) return undefined;
  const amount = Math.round(Number(plain) * 10 ** digits);
  return Number.isSafeInteger(amount) ? amount : undefined;
}

export function typedMoney(amount: number, digits: number): string {
  return (amount / 10 ** digits).toFixed(digits);
}
