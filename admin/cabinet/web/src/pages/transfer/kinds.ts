// What can be imported and exported as CSV, and how the API's reports become one.
import { answer, api, Refusal, type Schemas } from "../../api/client";
import type { WordOf } from "../../words";
import type { words } from "../../words/transfer";

export interface Row {
  line: number;
  name: string;
  status: string;
  faults: string[];
  changes: { column: string; from: string; to: string }[];
}

export interface Report {
  created: number;
  updated: number;
  same: number;
  errors: number;
  warnings: number;
  ignored: string[];
  rows: Row[];
  replay?: Schemas["SiteReplay"] | null | undefined; // what visitors would notice
}

export interface Options {
  prices: "units" | "decimal";
  encoding: string;
  format: (typeof formats)[number];
  external: boolean;
}

export const formats = ["csv", "netlify", "nginx", "htaccess"] as const;

export interface Kind {
  word: WordOf<typeof words>;
  reads: string; // capability
  exports: string; // path
  file: string;
  writes?: string; // capability; without it there is no import
  imports?: string; // path
  options?: (keyof Options)[];
  body?: (text: string, options: Options, dry_run: boolean) => object; // of the call; without it the file itself is sent
  run?: (file: File, options: Options, dry_run: boolean) => Promise<Report>;
}

const said = (parts: (string | undefined)[]) => parts.filter((p): p is string => Boolean(p));

const maxText = 8 << 20; // of a file that is sent within JSON

async function textOf(file: File): Promise<string> {
  if (file.size > maxText) throw new Refusal(400, "IMPORT_TOO_LARGE", "");
  return file.text();
}

async function products(file: File, { prices, encoding }: Options, dry_run: boolean): Promise<Report> {
  const call = api.POST("/products/import/file", {
    params: { query: { dry_run, prices, ...(encoding ? { encoding } : {}) } },
    body: file as never,
    bodySerializer: (body: unknown) => body as never,
    headers: { "Content-Type": "text/csv" },
  });
  const { result: r } = await answer(call);
  return {
    ...r,
    same: r.unchanged,
    ignored: r.ignored_columns,
    rows: r.rows.map((row) => ({
      line: row.line,
      name: row.sku,
      status: row.status,
      faults: said([said([row.error, row.reason]).join(": "), ...(row.warnings ?? []).map((w) => w.reason || `${w.column}: ${w.error}`)]),
      changes: row.changes ?? [],
    })),
  };
}

const customersBody = (text: string, _: Options, dry_run: boolean) => ({ text, dry_run });

async function customers(file: File, options: Options, dry_run: boolean): Promise<Report> {
  const { result: r } = await answer(api.POST("/customers/import", { body: customersBody(await textOf(file), options, dry_run) }));
  return { ...r, same: r.skipped, warnings: 0, ignored: r.ignored_columns, rows: r.rows.map((row) => ({ line: row.line, name: row.email, status: row.status, faults: said([row.reason]), changes: [] })) };
}

const rulesBody = (text: string, { format, external }: Options, dry_run: boolean) => ({ text, format, allow_external: external, dry_run });

async function redirects(file: File, options: Options, dry_run: boolean): Promise<Report> {
  const { result: r, replay } = await answer(api.POST("/storefront-redirects/import", { body: rulesBody(await textOf(file), options, dry_run) }));
  const rows = r.rows.map((row) => ({
    line: row.line,
    name: row.from || row.to ? `${row.from} → ${row.to}` : (row.text ?? ""),
    status: row.status,
    faults: said([row.reason, row.detail, row.warning]),
    changes: [],
  }));
  return { ...r, same: r.skipped, warnings: 0, ignored: [], rows, replay };
}

export const kinds: Kind[] = [
  { word: "products", reads: "catalog_read", writes: "catalog_write", exports: "/products/export", imports: "/products/import/file", file: "products.csv", options: ["prices", "encoding"], run: products },
  { word: "customers", reads: "customers_read", writes: "customers_write", exports: "/customers/export", imports: "/customers/import", file: "customers.csv", body: customersBody, run: customers },
  { word: "redirects", reads: "redirects_read", writes: "redirects_write", exports: "/storefront-redirects/export", imports: "/storefront-redirects/import", file: "redirects.csv", options: ["format", "external"], body: rulesBody, run: redirects },
  { word: "orders", reads: "orders_read", exports: "/orders/export", file: "orders.csv" },
  { word: "leads", reads: "leads_read", exports: "/form-leads/export", file: "leads.csv" },
];

// csvOf writes lines for a spreadsheet, which must not run what a cell contains.
export function csvOf(lines: string[][]): Blob {
  const cell = (text: string) => `"${(/^[=+\-@\t]/.test(text) ? "'" : "") + text.replaceAll('"', '""')}"`;
  return new Blob(["\ufeff", lines.map((line) => line.map(cell).join(",") + "\r\n").join("")], { type: "text/csv" });
}
