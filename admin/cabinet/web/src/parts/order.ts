// moved returns a list with one of its entries at another place.
export function moved<T>(list: T[], from: number, to: number): T[] {
  const next = [...list];
  if (to < 0 || to >= list.length || from < 0 || from >= list.length) return next;
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}
