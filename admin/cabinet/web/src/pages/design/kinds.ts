// The kinds of inputs that the form of a block has. A Go test compares them with the settings of
// /docs/widgets, so a new kind of setting needs an input here.
export const inputs = [
  "boolean", "integer", "number", "string", "choice", "choices", "list", "object", "either", "classes",
  "address", "file", "video", "html", "colour", "aspect classes", "text classes", "grid classes", "mark classes",
  "product", "category", "form", "document", "block",
] as const;

export type Input = (typeof inputs)[number];

// Schema is a setting as /docs/widgets describes it.
export interface Schema {
  type?: string | string[];
  default?: unknown;
  enum?: (string | number)[];
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  description?: string;
  "x-of"?: string;
  "x-order"?: number;
  "x-inert"?: boolean;
}

// inputOf is the kind of input for a setting.
export function inputOf(s: Schema): Input | undefined {
  const type = Array.isArray(s.type) ? s.type[0] : s.type;
  const is = s.anyOf ? "either" : s["x-of"] || s.format || (s.enum ? "choice" : type !== "array" ? type : s.items?.pattern ? "classes" : s.items?.enum ? "choices" : "list");
  return inputs.find((i) => i === is);
}

// fieldsOf lists the settings of an object in their order.
export const fieldsOf = (s: Schema | null | undefined) => Object.entries(s?.properties ?? {}).sort(([, a], [, b]) => (a["x-order"] ?? 0) - (b["x-order"] ?? 0));
