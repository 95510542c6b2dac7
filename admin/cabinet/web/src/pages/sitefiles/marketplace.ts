// The rules of the marketplaces that the API checks, by the last part of their codes.
import type { WordOf } from "../../words";
import { words } from "../../words/sitefiles";
import type { Preview } from "./data";

type Words = WordOf<typeof words>;

const texts = ["length", "characters", "double_escape"];
const both = ["missing", "empty", "id", "id_duplicate", "price", "currency", "picture", "picture_unreachable", ...texts];

export const rulesOf: Record<Exclude<Preview["feed"], "">, string[]> = {
  yml: [...both, "date", "category", "category_id", "category_duplicate", "category_name", "category_parent", "available", "url", "count", "oldprice", "name", "name_capitals", "param", "picture_format"],
  google: [...both, "title", "title_capitals", "description", "link", "image_link", "availability", "condition", "sale_price", "identifier"],
  acp: [...both, "header", "country", "title", "description", "variants", "list_price", "url", "field", "type"],
};

// ruleName is what a rule is called, or nothing if it has no name.
export function ruleName(code: string): Words | undefined {
  const word = `rule_${code.split(".").at(-1)}`;
  return word in words ? (word as Words) : undefined;
}
