// What search engines read of a page, apart from its address.
import type { Schemas } from "../api/client";
import type { words } from "../words/seo";

type SEO = Schemas["StoreSEO"];

// SeoValues are the fields of a page about search engines, apart from its address.
export interface SeoValues extends Record<string, unknown> {
  meta_title: string;
  meta_description: string;
  page_title: string;
  meta_keywords: string[];
  og_image: string[];
  og_image_url: string;
  noindex: boolean;
  nofollow: boolean;
}

export const emptySeo: SeoValues = { meta_title: "", meta_description: "", page_title: "", meta_keywords: [], og_image: [], og_image_url: "", noindex: false, nofollow: false };

export const seoLabels = {
  meta_title: "metaTitle",
  meta_description: "metaDescription",
  page_title: "pageTitle",
  meta_keywords: "metaKeywords",
  og_image: "ogImage",
  og_image_url: "ogImageURL",
  noindex: "noindex",
  nofollow: "nofollow",
} satisfies Record<keyof typeof emptySeo, keyof typeof words>;

export function seoValues(seo: SEO): SeoValues {
  const { meta_title, meta_description, page_title, meta_keywords, og_image_url, noindex, nofollow } = seo;
  return { meta_title, meta_description, page_title, meta_keywords, og_image_url, noindex, nofollow, og_image: seo.og_image_id ? [seo.og_image_id] : [] };
}

// seoInput is the whole seo of a page in a call: what the fields do not show is kept.
export function seoInput(v: SeoValues, slug: string, base: SEO | undefined): Schemas["CatalogSeoItemInput"] {
  const { meta_title, meta_description, page_title, meta_keywords, og_image_url, noindex, nofollow } = v;
  return { alternates: base?.alternates ?? [], slug, meta_title, meta_description, page_title, meta_keywords, og_image_url, noindex, nofollow, og_image_id: v.og_image[0] ?? null };
}
