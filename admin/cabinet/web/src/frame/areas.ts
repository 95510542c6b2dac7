// Areas of the cabinet: their pages, what a person must be allowed to see them, and the guide that
// explains them.
import { IconAdjustments, IconArrowRampRight, IconChartLine, IconDiscount, IconFileCode, IconForms, IconHome, IconInbox, IconLayout, IconLock, IconMail, IconMessageStar, IconNews, IconPackage, IconPhoto, IconPlugConnected, IconSettings, IconShoppingCart, IconSitemap, IconTransfer, IconUsers, IconWorldUpload, type TablerIcon } from "@tabler/icons-react";
import type { LinkProps } from "@tanstack/react-router";
import type { Word } from "../words";
import type { Passport } from "./session";

export const groups = ["sales", "catalogue", "content", "shop"] as const;

export interface Area {
  key: Word;
  group?: (typeof groups)[number]; // of the menu; none: above all groups
  to: LinkProps["to"] & `/$shop/${string}`;
  icon: TablerIcon;
  guide: `/docs/${string}`;
  needs: (keyof Passport["capabilities"])[];
}

export const areas: Area[] = [
  { key: "start", to: "/$shop/start", icon: IconHome, guide: "/docs/open-shop", needs: [] },
  { key: "orders", group: "sales", to: "/$shop/orders", icon: IconShoppingCart, guide: "/docs/orders", needs: ["orders_read"] },
  { key: "promotions", group: "sales", to: "/$shop/promotions", icon: IconDiscount, guide: "/docs/promotions", needs: ["promotions_read"] },
  { key: "statistics", group: "sales", to: "/$shop/statistics", icon: IconChartLine, guide: "/docs/statistics", needs: ["stats_read"] },
  { key: "customers", group: "sales", to: "/$shop/customers", icon: IconUsers, guide: "/docs/customers", needs: ["customers_read"] },
  { key: "reviews", group: "sales", to: "/$shop/reviews", icon: IconMessageStar, guide: "/docs/reviews", needs: ["catalog_read"] },
  { key: "leads", group: "sales", to: "/$shop/leads", icon: IconInbox, guide: "/docs/forms", needs: ["leads_read"] },
  { key: "products", group: "catalogue", to: "/$shop/products", icon: IconPackage, guide: "/docs/catalogue", needs: ["catalog_read"] },
  { key: "sections", group: "catalogue", to: "/$shop/sections", icon: IconSitemap, guide: "/docs/catalogue", needs: ["catalog_read"] },
  { key: "attributes", group: "catalogue", to: "/$shop/attributes", icon: IconAdjustments, guide: "/docs/catalogue", needs: ["catalog_read"] },
  { key: "design", group: "content", to: "/$shop/design", icon: IconLayout, guide: "/docs/widgets-area", needs: ["catalog_read"] },
  { key: "websites", group: "content", to: "/$shop/websites", icon: IconWorldUpload, guide: "/docs/webcoding", needs: ["catalog_read"] },
  { key: "articles", group: "content", to: "/$shop/articles", icon: IconNews, guide: "/docs/news", needs: ["catalog_read"] },
  { key: "files", group: "content", to: "/$shop/files", icon: IconPhoto, guide: "/docs/file-storage", needs: ["storage_read"] },
  { key: "forms", group: "content", to: "/$shop/forms", icon: IconForms, guide: "/docs/forms", needs: ["forms_read"] },
  { key: "redirects", group: "content", to: "/$shop/redirects", icon: IconArrowRampRight, guide: "/docs/redirects", needs: ["redirects_read"] },
  { key: "siteFiles", group: "content", to: "/$shop/site-files", icon: IconFileCode, guide: "/docs/feeds", needs: ["site_files_read"] },
  { key: "letters", group: "shop", to: "/$shop/letters", icon: IconMail, guide: "/docs/letters", needs: ["access_read"] },
  { key: "policies", group: "shop", to: "/$shop/policies", icon: IconLock, guide: "/docs/closed", needs: ["access_read"] },
  { key: "team", group: "shop", to: "/$shop/team", icon: IconUsers, guide: "/docs/quickstart", needs: ["access_read"] },
  { key: "integrations", group: "shop", to: "/$shop/integrations", icon: IconPlugConnected, guide: "/docs/agents", needs: [] },
  { key: "transfer", group: "shop", to: "/$shop/transfer", icon: IconTransfer, guide: "/docs/catalog-import", needs: ["catalog_read"] },
  { key: "settings", group: "shop", to: "/$shop/settings", icon: IconSettings, guide: "/docs/shop", needs: [] },
];
