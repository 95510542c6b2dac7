// The fields of the form of a site file.
import type { FullFile } from "./data";

const blank = {
  name: "",
  category_id: "0", // 0: the root of the host
  body: "",
  is_published: false,
  in_sitemap: false,
};

export type Values = typeof blank;
export const empty: Values = blank;

export const maxBody = 65_536; // bytes

export const valuesOf = (f: FullFile): Values => ({ name: f.name, category_id: String(f.category_id), body: f.body, is_published: f.is_published, in_sitemap: f.in_sitemap });

export const isPage = (name: string) => name.endsWith(".html");

// itemOf is the changed fields as the call takes them.
export function itemOf(v: Values, changed: (keyof Values)[]) {
  return {
    ...(changed.includes("name") && { name: v.name.trim() }),
    ...(changed.includes("category_id") && { category_id: Number(v.category_id) }),
    ...(changed.includes("body") && { body: v.body }),
    ...(changed.includes("is_published") && { is_published: v.is_published }),
    ...(changed.includes("in_sitemap") && { in_sitemap: v.in_sitemap }),
  };
}

export const bodyOf = (v: Values) => ({ name: v.name.trim(), category_id: Number(v.category_id), body: v.body, is_published: v.is_published, in_sitemap: v.in_sitemap && isPage(v.name.trim()) });

export const fieldAt = (place: string): keyof Values | undefined => (place in blank ? (place as keyof Values) : undefined);
