-- +goose Up

-- What the shop's members write about an order for themselves, and the status of the payment
-- that the order shows as its own ("none" without one).
ALTER TABLE shop_order
    ADD COLUMN note text NOT NULL DEFAULT '',
    ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
    ADD COLUMN payment_status text NOT NULL DEFAULT 'none';

-- The payment of an order is the one paid first, else the newest. The order is refunded when
-- everything that was paid for it was returned, further payments included.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION order_refunded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shop_order o SET refunded = s.refunded, payment_status = s.status FROM (
        SELECT bool_or(status = 'refunded') AND NOT bool_or(status IN ('paid', 'paid_again', 'refunding')) AS refunded,
            (array_agg(status ORDER BY paid_at, CASE WHEN paid_at IS NULL THEN -id ELSE id END))[1] AS status
        FROM payment WHERE company_id = NEW.company_id AND order_id = NEW.order_id) s
    WHERE o.company_id = NEW.company_id AND o.id = NEW.order_id AND (o.refunded, o.payment_status) <> (s.refunded, s.status);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER order_payment AFTER INSERT ON payment FOR EACH ROW EXECUTE FUNCTION order_refunded();

UPDATE shop_order o SET payment_status = s.status FROM (
    SELECT company_id, order_id, (array_agg(status ORDER BY paid_at, CASE WHEN paid_at IS NULL THEN -id ELSE id END))[1] AS status
    FROM payment GROUP BY 1, 2) s
WHERE o.company_id = s.company_id AND o.id = s.order_id;

-- The counts of a shop, and its lists by status, payment and shipment.
CREATE INDEX shop_order_work ON shop_order (company_id, status, payment_status, shipment_status, created_at DESC, id DESC);
CREATE INDEX shop_order_tagged ON shop_order (company_id, created_at DESC, id DESC) WHERE tags <> '{}';
CREATE INDEX shop_order_delivery ON shop_order (company_id, (delivery ->> 'id'), created_at DESC, id DESC) WHERE delivery IS NOT NULL;
