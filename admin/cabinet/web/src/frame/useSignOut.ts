import { useQueryClient } from "@tanstack/react-query";
import { answer, api } from "../api/client";
import { meQuery, signedIn } from "./session";

// useSignOut returns the function that ends the session. Nothing of the person stays in the page:
// the next one to sign in sees neither their data nor what they had typed.
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await answer(api.POST("/v1/auth/logout", {}));
    signedIn(false);
    sessionStorage.clear();
    queries.clear();
    queries.setQueryData(meQuery.queryKey, null);
  };
}
