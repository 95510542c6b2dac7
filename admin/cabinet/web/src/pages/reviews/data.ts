// The calls of the queue of reviews and questions.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api, type Body, type Schemas } from "../../api/client";
import { queryOf, type ReviewSearch, type Status } from "./search";

export type Remark = Schemas["ReviewView"]; // a review or a question
export type Kind = "reviews" | "questions";
export type Decision = Body<"put", "/reviews/{id}">;

export const remarksQuery = (shop: string, kind: Kind, search: ReviewSearch) =>
  queryOptions({
    queryKey: [shop, "remarks", kind, search],
    queryFn: async ({ signal }) => (await answer(api.GET(`/${kind}`, { params: { query: queryOf(search) }, signal }))).result,
    placeholderData: keepPreviousData,
  });

export const decide = async (kind: Kind, r: Remark, decision: Decision) =>
  (await answer(api.PUT(`/${kind}/{id}`, { params: { path: { id: r.id } }, body: { ...decision, expected_updated_at: r.updated_at } }))).result;

export const decideMany = (kind: Kind, ids: string[], status: Status, dry_run: boolean) => answer(api.PUT(`/${kind}/batch`, { body: { ids, status, dry_run } }));
