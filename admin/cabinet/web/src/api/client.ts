// The API as the cabinet calls it. Types come from the program's own OpenAPI document.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";
import { ask } from "./proof";

export type Schemas = components["schemas"];

// Body is what a call sends.
export type Body<M extends keyof paths[P], P extends keyof paths> = paths[P][M] extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;

// Fault is what one place of a request has wrong.
export interface Fault {
  code: string;
  place: string;
  detail: string;
}

// Refusal is an answer that is no success, or a call that had no answer (status 0).
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly faults: Fault[] = [],
    readonly body: Record<string, unknown> = {},
  ) {
    super(detail ? `${code}: ${detail}` : code);
  }

  // wait is after how many seconds the call may be repeated; 0: the API did not say.
  get wait(): number {
    return typeof this.body.retry_after === "number" ? this.body.retry_after : 0;
  }
}

export function refusal(status: number, body: unknown): Refusal {
  if (typeof body !== "object" || body === null || !("code" in body)) return new Refusal(status, "INTERNAL", String(status));
  const b = body as Record<string, unknown> & { code: string; place?: string; detail?: string; faults?: Fault[] };
  const faults = b.faults?.length ? b.faults : b.place ? [{ code: b.code, place: b.place, detail: b.detail ?? "" }] : [];
  return new Refusal(status, b.code, b.detail ?? "", faults, b);
}

// forbidden tells of calls that the person may not make. Their role may have been lowered while the
// page was open.
export const forbidden = new EventTarget();

// proven sends a request. If the session has ended, or the call needs a fresh proof of who calls,
// it asks for it over the page and then repeats the same request.
export async function proven(request: Request): Promise<Response> {
  for (;;) {
    const response = await fetch(request.clone()).catch(() => {
      throw new Refusal(0, "OFFLINE", "");
    });
    const need = await needed(request, response);
    if (!need && response.status === 403) forbidden.dispatchEvent(new CustomEvent("call", { detail: request.url }));
    if (!need || !(await ask(need))) return response;
  }
}

async function needed(request: Request, response: Response): Promise<"session" | "proof" | null> {
  if (response.status === 401) return new URL(request.url).pathname.startsWith("/v1/auth/") ? null : "session";
  if (response.status !== 403) return null;
  const body: unknown = await response.clone().json().catch(() => null);
  return refusal(403, body).code === "REAUTH_REQUIRED" ? "proof" : null;
}

const client = createClient<paths>({
  baseUrl: location.origin,
  fetch: proven,
  querySerializer: { array: { style: "form", explode: false } },
});

// currentShop is the slug of the shop in the address of the page: calls are made in no other.
export function currentShop(): string {
  return location.pathname.match(/^\/cabinet\/([^/]+)\//)?.[1] ?? "";
}

export function inShop(request: Request): Request {
  const shop = currentShop();
  if (shop && !new URL(request.url).pathname.startsWith("/v1/auth/")) request.headers.set("X-Vitrine-Shop", shop);
  return request;
}

client.use({ onRequest: ({ request }) => inShop(request) });

export const api = client;

// asked gets a file, such as an export.
export async function asked(path: string, signal?: AbortSignal): Promise<Response> {
  const response = await proven(inShop(new Request(path, { signal })));
  if (!response.ok) throw refusal(response.status, await response.json().catch(() => null));
  return response;
}

// answer returns the body of a success and throws a Refusal otherwise.
export async function answer<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw refusal(response.status, error);
  return data as T;
}
