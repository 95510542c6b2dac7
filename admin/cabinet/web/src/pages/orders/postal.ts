// Addresses are any JSON that a shop sent: the usual members of an object, its others by their names,
// or a text.

const usual = ["street", "postcode", "city", "region", "country", "comment"];

export function addressLines(address: unknown, language: string): string[] {
  const texts = (v: unknown): string[] => (v === null || v === undefined || v === "" ? [] : typeof v === "object" ? Object.values(v).flatMap(texts) : [String(v)]);
  if (typeof address !== "object" || address === null) return texts(address);
  const { street, postcode, city, region, country, comment } = address as Record<string, unknown>;
  const others = Object.entries(address).filter(([name]) => !usual.includes(name));
  return [
    ...texts(street),
    [...texts(postcode), ...texts(city)].join(" "),
    ...texts(region),
    ...texts(country).map((c) => countryName(c, language)),
    ...texts(comment),
    ...others.flatMap(([name, value]) => texts(value).map((text) => (Array.isArray(address) ? text : `${name}: ${text}`))),
  ].filter(Boolean);
}

function countryName(code: string, language: string): string {
  return /^[A-Za-z]{2}$/.test(code) ? (new Intl.DisplayNames([language], { type: "region" }).of(code.toUpperCase()) ?? code) : code;
}

// Regions of the Unicode data that are no countries to send a parcel to.
const noCountries = new Set(["EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"]);

// countries lists the countries by name. An outdated code is that of another country.
export function countries(language: string): { value: string; label: string }[] {
  const names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  return letters
    .flatMap((a) => letters.map((b) => a + b))
    .flatMap((code) => {
      const label = names.of(code);
      return label && !noCountries.has(code) && new Intl.Locale("und-" + code).region === code ? [{ value: code, label }] : [];
    })
    .sort((a, b) => a.label.localeCompare(b.label, language));
}
