// The API in the draft of the shop: what is written here waits until it is published.
import createClient from "openapi-fetch";
import { inShop, proven } from "./client";
import type { paths } from "./schema";

export const draft = createClient<paths>({ baseUrl: location.origin, fetch: proven });

draft.use({
  onRequest: ({ request }) => {
    request.headers.set("X-Service-Contour", "dev");
    return inShop(request);
  },
});
