// Areas of the cabinet: their pages, and what a person must be allowed to see them.
import type { Passport } from "./session";

export interface Area {
  key: "start" | "products";
  to: "/$shop/start" | "/$shop/products";
  needs: (keyof Passport["capabilities"])[];
}

export const areas: Area[] = [
  { key: "start", to: "/$shop/start", needs: [] },
  { key: "products", to: "/$shop/products", needs: ["catalog_read"] },
];
