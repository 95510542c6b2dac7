// Areas of the cabinet: their pages, and what a person must be allowed to see them.
import { IconAdjustments, IconHome, IconNews, IconPackage, IconPhoto, IconSitemap, type TablerIcon } from "@tabler/icons-react";
import type { LinkProps } from "@tanstack/react-router";
import type { Word } from "../words";
import type { Passport } from "./session";

export interface Area {
  key: Word;
  to: LinkProps["to"] & `/$shop/${string}`;
  icon: TablerIcon;
  needs: (keyof Passport["capabilities"])[];
}

export const areas: Area[] = [
  { key: "start", to: "/$shop/start", icon: IconHome, needs: [] },
  { key: "products", to: "/$shop/products", icon: IconPackage, needs: ["catalog_read"] },
  { key: "sections", to: "/$shop/sections", icon: IconSitemap, needs: ["catalog_read"] },
  { key: "attributes", to: "/$shop/attributes", icon: IconAdjustments, needs: ["catalog_read"] },
  { key: "articles", to: "/$shop/articles", icon: IconNews, needs: ["catalog_read"] },
  { key: "files", to: "/$shop/files", icon: IconPhoto, needs: ["storage_read"] },
];
