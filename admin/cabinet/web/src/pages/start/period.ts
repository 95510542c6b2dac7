// period returns the last 30 days, today included, as the API writes days.
export function period(now: Date): { from: string; to: string } {
  const day = (d: Date) => `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, "0")}-${String(d.getDate()).padStart(2, "0")}`;
  const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 29);
  return { from: day(first), to: day(now) };
}
