// sizeText writes a number of bytes for people.
export function sizeText(bytes: number, language: string): string {
  const units = ["byte", "kilobyte", "megabyte"] as const;
  const step = bytes < 1000 ? 0 : bytes < 1_000_000 ? 1 : 2;
  return new Intl.NumberFormat(language, { style: "unit", unit: units[step], unitDisplay: step === 0 ? "long" : "short", maximumFractionDigits: step === 2 ? 1 : 0 }).format(bytes / 1000 ** step);
}
