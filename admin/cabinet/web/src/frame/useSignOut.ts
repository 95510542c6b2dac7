import { hashKey, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../api/client";
import { meQuery, signedIn } from "./session";

// useForget returns the function that leaves nothing of the person in the page: the next one to sign
// in sees neither their data nor what they had typed.
export function useForget(): () => void {
  const queries = useQueryClient();
  return () => {
    signedIn(false);
    sessionStorage.clear();
    queries.setQueryData(meQuery.queryKey, null); // before the rest: the page watches it
    queries.removeQueries({ predicate: (query) => query.queryHash !== hashKey(meQuery.queryKey) });
    queries.getMutationCache().clear();
  };
}

// useSignOut returns the function that ends the session.
export function useSignOut(): () => Promise<void> {
  const forget = useForget();
  return async () => {
    await answer(api.POST("/v1/auth/logout", {}));
    forget();
  };
}
