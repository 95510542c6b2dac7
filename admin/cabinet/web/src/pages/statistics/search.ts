// Which days the page shows is in its address, so that a link shows the same.
import { day, oneOf, whole } from "../../parts/address";
import { dayAfter } from "../../parts/dates";

export const lengths = [7, 30, 90, 365] as const;
export const steps = ["day", "week", "month"] as const;
export const figures = ["revenue", "orders", "visits", "page_views"] as const;

export interface StatisticsSearch {
  days?: (typeof lengths)[number]; // until today
  from?: string; // days such as 2026-11-30, both included
  to?: string;
  group?: (typeof steps)[number];
  chart?: (typeof figures)[number];
}

export function statisticsSearch(raw: Record<string, unknown>): StatisticsSearch {
  return { days: lengths.find((n) => n === whole(raw.days)), from: day(raw.from), to: day(raw.to), group: oneOf(steps, raw.group), chart: oneOf(figures, raw.chart) };
}

const maxDays = 366;

// periodOf returns the days of a search, or null if there is no such period.
export function periodOf(s: StatisticsSearch, today: string): { from: string; to: string; group: (typeof steps)[number] } | null {
  const to = s.to ?? today;
  const from = s.from ?? dayAfter(to, 1 - (s.days ?? 30));
  const long = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
  if (long < 1 || long > maxDays) return null;
  return { from, to, group: s.group ?? (long > 92 ? "week" : "day") };
}
