// What a list shows is in its address. These read the values there, which anybody may have typed.

export const oneOf = <T extends string>(values: readonly T[], v: unknown): T | undefined => values.find((x) => x === v);
export const whole = (v: unknown): number | undefined => (Number.isInteger(Number(v)) && Number(v) > 0 ? Number(v) : undefined);
export const phrase = (v: unknown, max = 200): string | undefined => (typeof v === "string" || typeof v === "number" ? String(v).slice(0, max) || undefined : undefined);
export const day = (v: unknown): string | undefined => (typeof v === "string" && /^\d{4}-\d\d-\d\d$/.test(v) && !Number.isNaN(Date.parse(v)) ? v : undefined);

// typing reports whether a change comes key by key: of a search or a day. Back does not lead through its steps.
export const typing = (part: object): boolean => ["q", "from", "to", "since", "until"].some((name) => name in part);

// addressOf writes a path with its query, leaving out what is not set. A list repeats its name.
export function addressOf(path: string, query: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) for (const v of Array.isArray(value) ? value : [value]) if (v !== undefined) params.append(name, String(v));
  const text = params.toString();
  return text ? path + "?" + text : path;
}
