// Redirects that are made of what visitors did not find.
import { answer, api } from "../api/client";

export interface Lost {
  path?: string; // an address that was not found
  query?: string; // or words that were searched for
}

// sourcesOf are the rules' addresses. Searches are counted in lower case, and a rule compares what
// the browser sends: telephones begin a search with a capital letter.
export function sourcesOf({ path, query }: Lost): { from_path: string; query_match?: string; drop_query?: boolean }[] {
  if (query === undefined) return [{ from_path: path!.replaceAll("*", "%2A") }];
  const spellings = new Set([query, query.charAt(0).toUpperCase() + query.slice(1)]);
  return [...spellings].map((words) => ({ from_path: "/search", query_match: new URLSearchParams({ q: words }).toString(), drop_query: true }));
}

export const bodyOf = (source: ReturnType<typeof sourcesOf>[number], to_target: string) => ({ item: { ...source, to_target, enabled: true } });

// Led is where visitors are led now, by which rules, and how to take that back.
export interface Led {
  to: string;
  ids: string[];
  undo: () => Promise<unknown>;
}

// lead makes the rules. If one is refused, none stays.
export async function lead(lost: Lost, to: string): Promise<Led> {
  const ids: string[] = [];
  const undo = async () => ids.length > 0 && (await answer(api.DELETE("/storefront-redirects", { body: { ids } })));
  try {
    for (const source of sourcesOf(lost)) ids.push((await answer(api.POST("/storefront-redirects", { body: bodyOf(source, to) }))).result.id);
  } catch (error) {
    await undo();
    throw error;
  }
  return { to, ids, undo };
}
