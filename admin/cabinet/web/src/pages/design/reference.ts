// The reference of all kinds of blocks, which their forms are made of.
import { queryOptions } from "@tanstack/react-query";
import type { Schema } from "./kinds";

export interface Entry {
  kind: string;
  label: { ru: string; en: string };
  placement: "chrome" | "page";
  writePath: string;
  props: Schema | null;
  mount?: Record<string, Schema>;
  items?: Schema;
  maxItems?: number;
  example?: Record<string, unknown>;
  drawn: boolean;
  legacy?: string;
}

export interface Reference {
  widgets: Entry[];
  structural: Entry[];
  wrapper: { props: Schema; layers: string[] };
  sections: { max: number; max_bytes: number };
}

export const referenceQuery = queryOptions({
  queryKey: ["widgets"],
  queryFn: async (): Promise<Reference> => {
    const response = await fetch("/docs/widgets", { headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(String(response.status));
    return (await response.json()) as Reference;
  },
  staleTime: Infinity,
});
