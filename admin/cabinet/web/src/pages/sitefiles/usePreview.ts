import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api, Refusal } from "../../api/client";
import { maxBody } from "./fields";

export const limits = [5, 20, 50];

const limited = (error: unknown): error is Refusal => error instanceof Refusal && error.code === "SITE_FILE_PREVIEW_RATE_LIMITED";

// usePreview renders what is typed, once the person pauses. A shop has few previews a minute: one
// that came too early comes by itself.
export function usePreview(shop: string, name: string, body: string) {
  const [limit, setLimit] = useState(limits[0]!);
  const [path] = useDebouncedValue("/" + name, 1000);
  const [text] = useDebouncedValue(body, 1000);
  const query = useQuery({
    queryKey: [shop, "site-file-preview", path, text, limit],
    queryFn: ({ signal }) => answer(api.POST("/site-files/preview", { body: { path, body: text, limit }, signal })),
    enabled: /\.[a-z]+$/.test(path) && text.length > 0 && text.length <= maxBody,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 0,
    retry: (times, error) => limited(error) && times < 10,
    retryDelay: (_, error) => 1000 * (limited(error) ? Math.max(error.wait, 2) : 2),
    refetchOnWindowFocus: false,
  });
  return { ...query, waits: limited(query.failureReason) && query.isFetching, limit, setLimit };
}
