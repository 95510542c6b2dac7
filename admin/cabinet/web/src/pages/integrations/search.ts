// What the pages about integrations show is in their addresses.
import { oneOf, whole } from "../../parts/address";

export const deliveryStates = ["queued", "retrying", "delivered", "dead"] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface JournalSearch {
  state?: DeliveryState;
  page?: number;
}

export const journalSearch = (raw: Record<string, unknown>): JournalSearch => ({ state: oneOf(deliveryStates, raw.state), page: whole(raw.page) });

export const eventSearch = (raw: Record<string, unknown>): { after?: number } => ({ after: whole(raw.after) });
