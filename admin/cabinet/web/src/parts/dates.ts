// Dates as the shop's clock shows them: a moment is kept in UTC and typed and read in the shop's
// time zone, wherever the person is.

// dayField and momentField are the properties of inputs that dates are typed into. With a last year of four
// digits a browser goes on to the next part after four keys.
export const dayField = { type: "date", max: "9999-12-31" } as const;
export const momentField = { type: "datetime-local", max: "9999-12-31T23:59" } as const;

// wallTime is a moment as a field of type datetime-local has it: 2026-11-30T09:00.
export function wallTime(moment: string | number | null, zone: string): string {
  if (moment === null) return "";
  return new Date(moment).toLocaleString("sv", { timeZone: zone, dateStyle: "short", timeStyle: "short" }).replace(" ", "T").padStart(16, "0"); // Swedish writes the year 2 as 2, a field as 0002; while 2039 is typed its year is 2 first
}

// moment is the time at which a clock of the zone shows what was typed, or null if it is no time. A
// time that the clock skips in spring is taken as if it had not been changed yet.
export function moment(typed: string, zone: string): string | null {
  const shown = Date.parse(typed + "Z");
  if (Number.isNaN(shown)) return null;
  let at = shown;
  for (let i = 0; i < 2; i++) at += shown - Date.parse(wallTime(at, zone) + "Z");
  return new Date(at).toISOString();
}

// startOfDay is the moment at which a day such as 2026-11-30 begins in the zone, or one some days later.
export function startOfDay(day: string | undefined, zone: string, later = 0): string | undefined {
  const at = day ? Date.parse(day + "T00:00Z") + later * 86_400_000 : NaN;
  return Number.isNaN(at) ? undefined : (moment(new Date(at).toISOString().slice(0, 16), zone) ?? undefined);
}

// dateText is a moment for people; null is none.
export function dateText(at: string | null, zone: string, language: string): string {
  if (at === null) return "";
  return new Date(at).toLocaleString(language, { timeZone: zone, dateStyle: "medium", timeStyle: "short" });
}

// todayIn is the day that the shop's calendar shows, as the API writes days: 2026-11-30.
export const todayIn = (zone: string) => wallTime(Date.now(), zone).slice(0, 10);

// dayAfter is the day a number of days after another, or before it.
export const dayAfter = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
