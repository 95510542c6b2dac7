import { RowBadge } from "../../parts/List";
import { useWords, type WordOf } from "../../words";
import { words } from "../../words/orders";
import { paidOf, type Order, type Status } from "./search";

const colours: Record<string, string | undefined> = {
  new: "orange",
  completed: "gray",
  cancelled: "red",
  payment_none: "gray",
  payment_pending: "gray",
  payment_failed: "red",
  payment_refunding: "orange",
  payment_refunded: "gray",
  payment_paid_again: "orange",
  shipment_none: "gray",
  shipment_partial: "orange",
};

function State({ word }: { word: WordOf<typeof words> }) {
  const { say } = useWords(words);
  return <RowBadge color={colours[word]}>{say(word)}</RowBadge>;
}

export const StatusBadge = ({ status }: { status: Status }) => <State word={status} />;
export const PaymentBadge = ({ status }: { status: string }) => <State word={`payment_${status}` as WordOf<typeof words>} />;
export const ShipmentBadge = ({ order }: { order: Order }) => <State word={`shipment_${order.shipment_status}`} />;

// Badges are the three states of an order.
export function Badges({ order }: { order: Order }) {
  return (
    <>
      <StatusBadge status={order.status} />
      <PaymentBadge status={paidOf(order)} />
      <ShipmentBadge order={order} />
    </>
  );
}
