// slugOf proposes an address for a name.
export function slugOf(name: string): string {
  const latin = name.normalize("NFKD").toLowerCase();
  return latin.replace(/[^a-z0-9]+/g, "-").replace(/^[^a-z]+|-+$/g, "").slice(0, 63);
}
