import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { answer, api, type Schemas } from "../../api/client";
import type { Passport } from "../../frame/session";

const Setup = lazy(() => import("./Setup"));

const isOver = (steps: Schemas["OverviewStep"][]) => steps.some((s) => s.key === "order" && s.done);

// Steps are those of a new shop, until the first order came in.
export function Steps({ shop, passport }: { shop: string; passport: Passport }) {
  const setup = useQuery({
    queryKey: [shop, "setup"],
    queryFn: async () => (await answer(api.GET("/v1/shop/setup", {}))).result.steps,
    staleTime: ({ state }) => (isOver(state.data ?? []) ? Infinity : 0), // a step may be done elsewhere, such as the first order
  });
  const steps = setup.data ?? [];
  if (steps.length === 0 || isOver(steps)) return null;
  return (
    <Suspense>
      <Setup shop={shop} passport={passport} steps={steps} />
    </Suspense>
  );
}
