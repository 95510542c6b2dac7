-- +goose Up

-- What visits of a shop add up to on a day of its calendar (package tally). Nothing of
-- it is about a person: names of pages, hosts, campaigns, words that found nothing.
CREATE TABLE visit_day (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    day        date NOT NULL,
    visits     bigint NOT NULL DEFAULT 0, -- visitors of the day
    page_views bigint NOT NULL DEFAULT 0,
    lists      text NOT NULL DEFAULT '', -- tally.Lists
    closed     boolean NOT NULL DEFAULT false, -- the day is over and the lists are short
    PRIMARY KEY (company_id, day)
) WITH (toast_tuple_target = 256);
ALTER TABLE visit_day ALTER COLUMN lists SET STORAGE MAIN; -- packed, and still in the row
CREATE INDEX visit_day_open ON visit_day (day) WHERE NOT closed;

-- The salt of a date, for whichever shops have it. It goes when the date is over
-- everywhere, and then nobody can tell any more whose hashes those of visit_mark were.
CREATE TABLE visit_salt (
    day  date PRIMARY KEY,
    salt bytea NOT NULL -- 32 random bytes
);

-- What was counted once on a day: hashes of visitors under the salt of the day, which
-- go with it. No address, no name of a browser.
CREATE TABLE visit_mark (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    day        date NOT NULL,
    hash       bigint NOT NULL,
    PRIMARY KEY (company_id, day, hash)
);
CREATE INDEX visit_mark_day ON visit_mark (day);

-- The last batch of each process that counts.
CREATE TABLE visit_batch (
    run    uuid PRIMARY KEY,
    number bigint NOT NULL,
    at     timestamptz NOT NULL DEFAULT now()
);

-- The day on which an order was made, as the clock of the shop showed it then. A shop
-- that moves to another time zone keeps its days.
ALTER TABLE shop_order ADD COLUMN day date DEFAULT (now() AT TIME ZONE 'UTC')::date;
UPDATE shop_order o SET day = (o.created_at AT TIME ZONE coalesce(z.name, 'UTC'))::date
    FROM company c LEFT JOIN pg_timezone_names z ON z.name = c.settings->>'timezone' WHERE c.id = o.company_id;
ALTER TABLE shop_order ALTER COLUMN day SET NOT NULL;

-- What a shop sold on a day: its orders that are not cancelled. Written in the
-- transaction that makes, cancels or reopens one.
CREATE TABLE sale_day (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    day        date NOT NULL,
    currency   text NOT NULL,
    orders     bigint NOT NULL,
    revenue    bigint NOT NULL, -- sum of items_total
    PRIMARY KEY (company_id, day, currency)
);

-- The same by product. An order discount falls on the lines by largest remainder, so
-- that the revenue of a day is that of its products. Whole weeks stand beside their days:
-- a season has a fifth of the rows.
CREATE TABLE sale_product (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    span       smallint NOT NULL CHECK (span IN (1, 7)), -- days
    day        date NOT NULL, -- of a week its Monday
    currency   text NOT NULL,
    product_id integer NOT NULL,
    quantity   bigint NOT NULL,
    revenue    bigint NOT NULL,
    PRIMARY KEY (company_id, span, day, currency, product_id)
);

-- What the products of an order brought. What was taken off the order as a whole falls on
-- its lines by largest remainder, ties to the earlier line.
-- +goose StatementBegin
CREATE FUNCTION order_sold(company integer, of_order bigint) RETURNS TABLE (product_id integer, quantity bigint, revenue bigint)
LANGUAGE sql STABLE AS $$
    WITH line AS (
        SELECT l.id, l.product_id, l.quantity, l.quantity * l.unit_price AS total, o.items_total,
            (sum(l.quantity * l.unit_price) OVER ())::bigint AS whole
        FROM order_line l JOIN shop_order o ON o.company_id = l.company_id AND o.id = l.order_id
        WHERE l.company_id = company AND l.order_id = of_order),
    part AS (
        SELECT line.*, greatest(whole - items_total, 0) AS discount,
            coalesce(greatest(whole - items_total, 0) * total / nullif(whole, 0), 0) AS part,
            coalesce(greatest(whole - items_total, 0) * total % nullif(whole, 0), 0) AS remainder
        FROM line),
    place AS (
        SELECT part.*, row_number() OVER (ORDER BY remainder DESC, id) AS place, discount - sum(part) OVER () AS missing FROM part)
    SELECT place.product_id, sum(place.quantity)::bigint, sum(total - part - (place <= missing)::integer)::bigint FROM place
    GROUP BY place.product_id ORDER BY place.product_id
$$;
-- +goose StatementEnd

INSERT INTO sale_day (company_id, day, currency, orders, revenue)
    SELECT company_id, day, currency, count(*), sum(items_total) FROM shop_order WHERE status <> 'cancelled' GROUP BY 1, 2, 3;
INSERT INTO sale_product (company_id, span, day, currency, product_id, quantity, revenue)
    SELECT o.company_id, n, CASE n WHEN 1 THEN o.day ELSE date_trunc('week', o.day)::date END, o.currency, s.product_id, sum(s.quantity), sum(s.revenue)
    FROM shop_order o, order_sold(o.company_id, o.id) s, unnest('{1,7}'::smallint[]) n WHERE o.status <> 'cancelled' GROUP BY 1, 2, 3, 4, 5;
