-- +goose Up

-- customer_counts adds up what a statement did to orders. Orders keep the currency they
-- were made in, and spent is in the shop's present one: amounts of others are left out.
-- The newest order and the currency are looked up in a statement behind the lock, so that
-- it sees what others did meanwhile.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION customer_counts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    companies integer[];
    ids bigint[];
    currencies text[];
    counts bigint[];
    sums bigint[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(company_id), array_agg(customer_id), array_agg(currency), array_agg(n), array_agg(s) INTO companies, ids, currencies, counts, sums FROM (
            SELECT company_id, customer_id, currency, count(*) AS n, sum(CASE WHEN refunded THEN 0 ELSE grand_total END) AS s
            FROM written WHERE customer_id IS NOT NULL AND status <> 'cancelled' GROUP BY 1, 2, 3) d;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT array_agg(company_id), array_agg(customer_id), array_agg(currency), array_agg(n), array_agg(s) INTO companies, ids, currencies, counts, sums FROM (
            SELECT company_id, customer_id, currency, -count(*) AS n, -sum(CASE WHEN refunded THEN 0 ELSE grand_total END) AS s
            FROM was WHERE customer_id IS NOT NULL AND status <> 'cancelled' GROUP BY 1, 2, 3) d;
    ELSE
        SELECT array_agg(company_id), array_agg(customer_id), array_agg(currency), array_agg(n), array_agg(s) INTO companies, ids, currencies, counts, sums FROM (
            SELECT company_id, customer_id, currency, sum(n) AS n, sum(CASE WHEN refunded THEN 0 ELSE n * grand_total END) AS s FROM (
                SELECT company_id, customer_id, currency, created_at, grand_total, refunded, 1 AS n FROM written WHERE customer_id IS NOT NULL AND status <> 'cancelled'
                UNION ALL
                SELECT company_id, customer_id, currency, created_at, grand_total, refunded, -1 FROM was WHERE customer_id IS NOT NULL AND status <> 'cancelled') moved
            GROUP BY 1, 2, 3
            HAVING sum(n) <> 0 OR sum(CASE WHEN refunded THEN 0 ELSE n * grand_total END) <> 0 OR sum(n * extract(epoch FROM created_at)) <> 0) d;
    END IF;
    IF ids IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM FROM customer c JOIN unnest(companies, ids) d(company_id, id) ON c.company_id = d.company_id AND c.id = d.id
    ORDER BY c.id FOR NO KEY UPDATE OF c;
    UPDATE customer c SET orders = c.orders + d.n, spent = c.spent + d.s, last_order_at = (
        SELECT max(o.created_at) FROM shop_order o WHERE o.company_id = c.company_id AND o.customer_id = c.id AND o.status <> 'cancelled')
    FROM (
        SELECT u.company_id, u.id, sum(u.n) AS n, coalesce(sum(u.s) FILTER (WHERE u.currency = k.currency), 0) AS s
        FROM unnest(companies, ids, currencies, counts, sums) u(company_id, id, currency, n, s) JOIN company k ON k.id = u.company_id
        GROUP BY 1, 2) d
    WHERE c.company_id = d.company_id AND c.id = d.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- An order is refunded when all that was paid for it went back, second payments included.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION order_refunded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shop_order o SET refunded = s.refunded FROM (
        SELECT bool_or(status = 'refunded') AND NOT bool_or(status IN ('paid', 'paid_again', 'refunding')) AS refunded
        FROM payment WHERE company_id = NEW.company_id AND order_id = NEW.order_id) s
    WHERE o.company_id = NEW.company_id AND o.id = NEW.order_id AND o.refunded <> s.refunded;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER order_refunded ON payment;
CREATE TRIGGER order_refunded AFTER UPDATE OF status ON payment FOR EACH ROW
    WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION order_refunded();

-- What was counted by the rules of before. The update of orders counts for itself.
UPDATE shop_order o SET refunded = false WHERE o.refunded AND EXISTS (
    SELECT FROM payment y WHERE y.company_id = o.company_id AND y.order_id = o.id AND y.status IN ('paid_again', 'refunding'));
UPDATE customer c SET spent = w.spent FROM (
    SELECT o.company_id, o.customer_id, coalesce(sum(o.grand_total) FILTER (WHERE o.currency = k.currency AND NOT o.refunded), 0) AS spent
    FROM shop_order o JOIN company k ON k.id = o.company_id
    WHERE o.status <> 'cancelled' AND o.customer_id IS NOT NULL GROUP BY 1, 2) w
WHERE c.company_id = w.company_id AND c.id = w.customer_id AND c.spent <> w.spent;
