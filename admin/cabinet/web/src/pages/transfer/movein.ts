// The calls of imports from other systems, and what they answer.
import { answer, api, type Schemas } from "../../api/client";

export interface Row {
  file: string;
  line: number;
  status: string;
  code: string;
  detail: string;
}

export interface Plan {
  system: string;
  counts: Record<Counted, number>;
  losses: { what: string; count: number; example: string }[];
  questions: { key: string; text: string; choices: string[]; default: string; chosen: string }[];
  rows: Row[];
}

export const counted = ["sections", "products", "variants", "pictures", "customers", "articles", "pages", "redirects"] as const;
export type Counted = (typeof counted)[number];
export type Answers = Record<string, string>;

export interface Written extends Plan {
  written: { kind: string; created: number; changed: number }[];
}

// begin reads files into a plan, or imports them as a job. The plan of large files is a job too.
export async function begin(files: File[], answers: Answers, dry: boolean): Promise<Plan | { id: string }> {
  const form = new FormData();
  if (Object.keys(answers).length) form.append("options", JSON.stringify(answers));
  if (dry) form.append("dry_run", "true");
  for (const file of files) form.append("files[]", file);
  const got = await answer(api.POST("/v1/imports", { body: form as never, bodySerializer: (body) => body }));
  return got.result as unknown as Plan | { id: string };
}

export type Import = Schemas["MoveinImportView"];
