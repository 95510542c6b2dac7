// The calls of the queue of reviews and questions.
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { answer, api, type Body, type Schemas } from "../../api/client";
import { queryOf, type ReviewSearch, type Status } from "./search";

export type Remark = Schemas["ReviewView"]; // a review or a question
export type Kind = "reviews" | "questions";
export type Decision = Body<"put", "/reviews/{id}">;

// calls are those of each kind.
const calls = {
  reviews: {
    list: (query: ReturnType<typeof queryOf>, signal: AbortSignal) => api.GET("/reviews", { params: { query }, signal }),
    decide: (id: string, body: Body<"put", "/reviews/{id}">) => api.PUT("/reviews/{id}", { params: { path: { id } }, body }),
    decideMany: (body: Body<"put", "/reviews/batch">) => api.PUT("/reviews/batch", { body }),
  },
  questions: {
    list: (query: ReturnType<typeof queryOf>, signal: AbortSignal) => api.GET("/questions", { params: { query }, signal }),
    decide: (id: string, body: Body<"put", "/questions/{id}">) => api.PUT("/questions/{id}", { params: { path: { id } }, body }),
    decideMany: (body: Body<"put", "/questions/batch">) => api.PUT("/questions/batch", { body }),
  },
};

export const remarksQuery = (shop: string, kind: Kind, search: ReviewSearch) =>
  queryOptions({
    queryKey: [shop, "remarks", kind, search],
    queryFn: async ({ signal }) => (await answer(calls[kind].list(queryOf(search), signal))).result,
    placeholderData: keepPreviousData,
  });

export const decide = async (kind: Kind, r: Remark, decision: Decision) => (await answer(calls[kind].decide(r.id, { ...decision, expected_updated_at: r.updated_at }))).result;

export const decideMany = (kind: Kind, ids: string[], status: Status, dry_run: boolean) => answer(calls[kind].decideMany({ ids, status, dry_run }));
