// Who is signed in, their shops, and what they may do in the one that is open.
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { answer, api, Refusal, type Schemas } from "../api/client";

export type Role = "owner" | "admin" | "editor" | "";

// Whether somebody signed in with this browser: then, and only then, the server is asked who it is.
const flag = "signed-in";

export function signedIn(yes: boolean) {
  if (yes) localStorage.setItem(flag, "1");
  else localStorage.removeItem(flag);
}

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async () => {
    if (!localStorage.getItem(flag)) return null;
    const { data, response } = await api.GET("/v1/auth/me");
    if (response.status === 401) {
      signedIn(false);
      return null;
    }
    if (!data || data.result.is_guest) return null;
    return data.result;
  },
  staleTime: Infinity,
});

// enter goes on with the session that was just opened, if the browser keeps it.
export async function enter(queries: QueryClient, onDone: () => void) {
  const me = await api.GET("/v1/auth/me");
  signedIn(me.response.ok);
  if (!me.response.ok) throw new Refusal(401, "NO_COOKIE", "");
  const known = queries.getQueryData(meQuery.queryKey);
  if (known && me.data) queries.setQueryData(meQuery.queryKey, me.data.result);
  onDone();
}

export const shopsQuery = queryOptions({
  queryKey: ["shops"],
  queryFn: async () => (await answer(api.GET("/v1/orgs", {}))).result,
  staleTime: 60_000,
});

// passportQuery says what the person may do in a shop.
export const passportQuery = (shop: string) =>
  queryOptions({
    queryKey: [shop, "passport"],
    queryFn: async () => {
      const { result } = await answer(api.GET("/v1/account/token"));
      return { ...result, store: { ...result.store, timezone: result.store.timezone || "UTC" } }; // a new shop has chosen none
    },
    staleTime: 60_000,
  });

export type Passport = Schemas["AccessPassport"];

// manages reports whether the person is an owner or administrator.
export const manages = (passport: Passport | undefined) => passport?.role === "owner" || passport?.role === "admin";
