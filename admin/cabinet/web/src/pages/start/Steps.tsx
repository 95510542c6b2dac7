import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { answer, api } from "../../api/client";
import type { Passport } from "../../frame/session";

const Setup = lazy(() => import("./Setup"));

// Steps are those of a new shop, until the first order came in.
export function Steps({ shop, passport }: { shop: string; passport: Passport }) {
  const setup = useQuery({
    queryKey: [shop, "setup"],
    queryFn: async () => (await answer(api.GET("/v1/shop/setup", {}))).result.steps,
    staleTime: 60_000,
  });
  const steps = setup.data ?? [];
  if (steps.length === 0 || steps.some((s) => s.key === "order" && s.done)) return null;
  return (
    <Suspense>
      <Setup shop={shop} passport={passport} steps={steps} />
    </Suspense>
  );
}
