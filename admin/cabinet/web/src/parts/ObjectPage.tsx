import { Skeleton } from "@mantine/core";
import { useQuery, type UseQueryOptions } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "../frame/Failure";
import { passportQuery, type Passport } from "../frame/session";

// ObjectPage loads what the page of one object needs, and says why it cannot be shown. The id "new"
// stands for an object that is not made yet.
export function ObjectPage<T>({ shop, id, query, children }: { shop: string; id: string; query: UseQueryOptions<T, Error, T, any>; children: (passport: Passport, object: T | undefined) => ReactNode }) {
  const isNew = id === "new";
  const numeric = /^\d+$/.test(id);
  const passport = useQuery(passportQuery(shop));
  const object = useQuery({ ...query, enabled: numeric });
  if (!isNew && !numeric) return <Failure page error={null} />;
  if (object.isError && !object.data) return <Failure page error={object.error} retry={() => void object.refetch()} />;
  if (!passport.data || (!isNew && !object.data)) return <Skeleton h={480} />;
  return children(passport.data, object.data);
}
