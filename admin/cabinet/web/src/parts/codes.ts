// codeOf makes a code from what a person calls something, which no other one has.
export function codeOf(label: string, taken: Set<string>, otherwise: string): string {
  const plain = label.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "").slice(0, 50).replace(/-+$/, "") || otherwise;
  for (let n = 1; ; n++) {
    const code = n === 1 ? plain : `${plain}-${n}`;
    if (!taken.has(code)) return code;
  }
}
