-- +goose Up

-- Who bought in a shop, wrote to it or was added: one an address, and without an address
-- one a person. orders, spent and last_order_at are kept by customer_counts alone.
CREATE TABLE customer (
    company_id    integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    person_id     integer NOT NULL DEFAULT 0, -- who that is, as far as it is known; 0: nobody knows
    email         text NOT NULL DEFAULT '' CHECK (email = lower(email)), -- empty: none was given
    name          text NOT NULL DEFAULT '',
    phone         text NOT NULL DEFAULT '',
    note          text NOT NULL DEFAULT '', -- the shop's own
    orders        bigint NOT NULL DEFAULT 0, -- that are not cancelled
    spent         bigint NOT NULL DEFAULT 0, -- on those, unless the money went back
    last_order_at timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now(),
    erased_at     timestamptz, -- nothing is left but that there was somebody
    PRIMARY KEY (company_id, id),
    CHECK (erased_at IS NULL OR person_id = 0 AND email = '' AND name = '' AND phone = '' AND note = '')
);
CREATE UNIQUE INDEX customer_email ON customer (company_id, email) WHERE email <> '';
CREATE UNIQUE INDEX customer_nameless ON customer (company_id, person_id) WHERE email = '' AND person_id <> 0;
CREATE INDEX customer_person ON customer (person_id) WHERE person_id <> 0;
CREATE INDEX customer_newest ON customer (company_id, created_at, id) WHERE erased_at IS NULL;
CREATE INDEX customer_spent ON customer (company_id, spent, id) WHERE erased_at IS NULL;
CREATE INDEX customer_orders ON customer (company_id, orders, id) WHERE erased_at IS NULL;
CREATE INDEX customer_last ON customer (company_id, last_order_at, id) WHERE erased_at IS NULL;

-- A group has the customers that were put there, or those that its rule fits.
CREATE TABLE customer_group (
    company_id      integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id              bigint GENERATED ALWAYS AS IDENTITY,
    name            text NOT NULL CHECK (name <> ''),
    spent_more_than bigint CHECK (spent_more_than >= 0),
    ordered_since   timestamptz,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id),
    CHECK (spent_more_than IS NULL OR ordered_since IS NULL)
);
CREATE UNIQUE INDEX customer_group_name ON customer_group (company_id, lower(name));

CREATE TABLE customer_member (
    company_id  integer NOT NULL,
    group_id    bigint NOT NULL,
    customer_id bigint NOT NULL,
    PRIMARY KEY (company_id, group_id, customer_id),
    FOREIGN KEY (company_id, group_id) REFERENCES customer_group ON DELETE CASCADE,
    FOREIGN KEY (company_id, customer_id) REFERENCES customer ON DELETE CASCADE
);
CREATE INDEX customer_member_customer ON customer_member (company_id, customer_id, group_id);

ALTER TABLE shop_order
    ADD COLUMN customer_id bigint, -- null: the customer was erased
    ADD COLUMN refunded boolean NOT NULL DEFAULT false, -- the money went back
    ADD FOREIGN KEY (company_id, customer_id) REFERENCES customer (company_id, id);

-- Who was there before.
INSERT INTO customer (company_id, person_id, email, name, phone, created_at)
SELECT DISTINCT ON (company_id, email, CASE WHEN email = '' THEN person_id END) company_id,
    CASE WHEN email = '' OR coalesce(account, '') IN ('', email) THEN person_id ELSE 0 END, email, name, phone, min(at) OVER (PARTITION BY company_id, email, CASE WHEN email = '' THEN person_id END)
FROM (
    SELECT o.company_id, o.person_id, coalesce(nullif(lower(btrim(o.contact_email)), ''), lower(p.email), '') AS email, lower(p.email) AS account,
        o.contact_name AS name, o.contact_phone AS phone, o.created_at AS at
    FROM shop_order o LEFT JOIN person p ON p.id = o.person_id WHERE o.contact_name <> ''
    UNION ALL
    SELECT r.company_id, r.person_id, lower(p.email), lower(p.email), p.name, p.phone, r.created_at
    FROM remark r JOIN person p ON p.id = r.person_id WHERE p.email <> ''
    UNION ALL
    SELECT company_id, 0, email, '', '', '', created_at FROM form_lead WHERE email <> '' AND status <> 'spam' AND NOT test
) AS was
ORDER BY company_id, email, CASE WHEN email = '' THEN person_id END, at DESC;

UPDATE shop_order o SET
    refunded = EXISTS (SELECT FROM payment y WHERE y.company_id = o.company_id AND y.order_id = o.id AND y.status = 'refunded')
        AND NOT EXISTS (SELECT FROM payment y WHERE y.company_id = o.company_id AND y.order_id = o.id AND y.status = 'paid'),
    customer_id = CASE WHEN o.contact_name <> '' THEN (
        SELECT c.id FROM customer c WHERE c.company_id = o.company_id
            AND c.email = coalesce(nullif(lower(btrim(o.contact_email)), ''), (SELECT lower(p.email) FROM person p WHERE p.id = o.person_id), '')
            AND (c.email <> '' OR c.person_id = o.person_id)) END;
UPDATE customer c SET orders = w.orders, spent = w.spent, last_order_at = w.last
FROM (
    SELECT company_id, customer_id, count(*) AS orders, sum(CASE WHEN refunded THEN 0 ELSE grand_total END) AS spent, max(created_at) AS last
    FROM shop_order WHERE status <> 'cancelled' AND customer_id IS NOT NULL GROUP BY company_id, customer_id) w
WHERE c.company_id = w.company_id AND c.id = w.customer_id;
CREATE INDEX shop_order_customer ON shop_order (company_id, customer_id, created_at) WHERE customer_id IS NOT NULL;

-- Locks go from orders to customers, and of several to the one with the lower id first.

-- customer_join puts a customer up in another one of the shop.
-- +goose StatementBegin
CREATE FUNCTION customer_join(company integer, gone bigint, kept bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM shop_order WHERE company_id = company AND customer_id = gone ORDER BY id FOR NO KEY UPDATE;
    PERFORM FROM customer WHERE company_id = company AND id IN (gone, kept) ORDER BY id FOR UPDATE;
    UPDATE shop_order SET customer_id = kept WHERE company_id = company AND customer_id = gone;
    INSERT INTO customer_member (company_id, group_id, customer_id)
        SELECT company_id, group_id, kept FROM customer_member WHERE company_id = company AND customer_id = gone ON CONFLICT DO NOTHING;
    UPDATE customer k SET
        name = coalesce(nullif(k.name, ''), g.name), phone = coalesce(nullif(k.phone, ''), g.phone),
        note = left(concat_ws(E'\n', nullif(k.note, ''), nullif(g.note, '')), 4000), created_at = least(k.created_at, g.created_at)
    FROM customer g WHERE k.company_id = company AND k.id = kept AND g.company_id = company AND g.id = gone;
    DELETE FROM customer WHERE company_id = company AND id = gone;
END $$;
-- +goose StatementEnd

-- customer_moves gives a customer an address, or puts it up in the one which has it.
-- +goose StatementBegin
CREATE FUNCTION customer_moves(company integer, customer bigint, address text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    other bigint;
BEGIN
    PERFORM FROM shop_order WHERE company_id = company AND customer_id = customer ORDER BY id FOR NO KEY UPDATE;
    BEGIN
        UPDATE customer c SET email = address WHERE c.company_id = company AND c.id = customer AND c.erased_at IS NULL;
    EXCEPTION WHEN unique_violation THEN
        SELECT id INTO other FROM customer c WHERE c.company_id = company AND c.email = address;
        IF other IS NOT NULL THEN
            PERFORM customer_join(company, customer, other);
        END IF;
    END;
END $$;
-- +goose StatementEnd

-- customer_named does so with the customer that a person was without an address.
-- +goose StatementBegin
CREATE FUNCTION customer_named(company integer, person integer, address text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    nameless bigint;
BEGIN
    SELECT id INTO nameless FROM customer WHERE company_id = company AND person_id = person AND person_id <> 0 AND email = '';
    IF nameless IS NOT NULL AND address <> '' THEN
        PERFORM customer_moves(company, nameless, address);
    END IF;
END $$;
-- +goose StatementEnd

-- customer_of is the customer that a person is, or whoever gives an address: one is made
-- where there is none. What the shop wrote of them stays. Null: nobody can tell.
-- +goose StatementBegin
CREATE FUNCTION customer_of(company integer, person integer, given text, called text, number text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    address text := lower(btrim(given));
    account text;
    proven boolean;
    found bigint;
BEGIN
    SELECT lower(p.email), p.proven_at IS NOT NULL INTO account, proven FROM person p WHERE p.id = person;
    IF address = '' THEN
        address := coalesce(account, '');
    END IF;
    IF coalesce(account, '') IN ('', address) THEN
        PERFORM customer_named(company, person, address);
    END IF;
    IF address = '' AND person <> 0 THEN -- a guest is whom the order before was for
        SELECT customer_id INTO found FROM shop_order
        WHERE company_id = company AND person_id = person AND customer_id IS NOT NULL ORDER BY id DESC LIMIT 1;
        IF found IS NULL THEN
            INSERT INTO customer AS c (company_id, person_id, name, phone) VALUES (company, person, called, number)
            ON CONFLICT (company_id, person_id) WHERE email = '' AND person_id <> 0 DO UPDATE SET person_id = c.person_id RETURNING id INTO found;
        END IF;
        UPDATE customer SET name = coalesce(nullif(name, ''), called), phone = coalesce(nullif(phone, ''), number)
        WHERE company_id = company AND id = found AND (name = '' AND called <> '' OR phone = '' AND number <> '');
    ELSIF address <> '' THEN
        INSERT INTO customer AS c (company_id, person_id, email, name, phone)
        VALUES (company, CASE WHEN coalesce(account, '') IN ('', address) THEN person ELSE 0 END, address, called, number)
        ON CONFLICT (company_id, email) WHERE email <> '' DO UPDATE SET
            person_id = CASE WHEN account = address AND proven THEN person ELSE c.person_id END,
            name = coalesce(nullif(c.name, ''), excluded.name), phone = coalesce(nullif(c.phone, ''), excluded.phone)
        RETURNING id INTO found;
    END IF;
    RETURN found;
END $$;
-- +goose StatementEnd

-- An order is its customer's from the statement that writes it. One without a contact was
-- blanked: it comes from a backup and is nobody's.
-- +goose StatementBegin
CREATE FUNCTION order_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.customer_id := customer_of(NEW.company_id, NEW.person_id, NEW.contact_email, NEW.contact_name, NEW.contact_phone);
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER order_customer BEFORE INSERT ON shop_order FOR EACH ROW
    WHEN (NEW.customer_id IS NULL AND NEW.contact_name <> '') EXECUTE FUNCTION order_customer();

-- Who says something of a product, or writes about an order after they were erased, is a
-- customer too.
-- +goose StatementBegin
CREATE FUNCTION remark_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM customer_of(NEW.company_id, NEW.person_id, '', p.name, p.phone) FROM person p WHERE p.id = NEW.person_id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER remark_customer AFTER INSERT ON remark FOR EACH ROW WHEN (NEW.person_id IS NOT NULL) EXECUTE FUNCTION remark_customer();
-- +goose StatementBegin
CREATE FUNCTION message_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM customer_of(NEW.company_id, NEW.person_id, '', p.name, p.phone) FROM person p
    WHERE p.id = NEW.person_id AND EXISTS (
        SELECT FROM shop_order o WHERE o.company_id = NEW.company_id AND o.id = NEW.order_id AND o.customer_id IS NULL);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER message_customer AFTER INSERT ON order_message FOR EACH ROW WHEN (NEW.by_buyer AND NEW.text <> '') EXECUTE FUNCTION message_customer();

-- So is who leaves an address in a form, unless it is spam or the shop's own test.
-- +goose StatementBegin
CREATE FUNCTION lead_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM customer_of(NEW.company_id, 0, NEW.email, '', '');
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER lead_customer AFTER INSERT OR UPDATE OF status ON form_lead FOR EACH ROW
    WHEN (NEW.status <> 'spam' AND NOT NEW.test AND NEW.email <> '') EXECUTE FUNCTION lead_customer();

-- A customer begins with no orders: those that are written after it count themselves.
-- +goose StatementBegin
CREATE FUNCTION customer_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.orders := 0;
    NEW.spent := 0;
    NEW.last_order_at := NULL;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER customer_begins BEFORE INSERT ON customer FOR EACH ROW EXECUTE FUNCTION customer_begins();

-- customer_counts adds up what a statement did to orders. The newest order is looked up
-- in a statement behind the lock, so that it sees what others did meanwhile.
-- +goose StatementBegin
CREATE FUNCTION customer_counts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    companies integer[];
    ids bigint[];
    counts bigint[];
    sums bigint[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(company_id), array_agg(customer_id), array_agg(n), array_agg(s) INTO companies, ids, counts, sums FROM (
            SELECT company_id, customer_id, count(*) AS n, sum(CASE WHEN refunded THEN 0 ELSE grand_total END) AS s
            FROM written WHERE customer_id IS NOT NULL AND status <> 'cancelled' GROUP BY 1, 2) d;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT array_agg(company_id), array_agg(customer_id), array_agg(n), array_agg(s) INTO companies, ids, counts, sums FROM (
            SELECT company_id, customer_id, -count(*) AS n, -sum(CASE WHEN refunded THEN 0 ELSE grand_total END) AS s
            FROM was WHERE customer_id IS NOT NULL AND status <> 'cancelled' GROUP BY 1, 2) d;
    ELSE
        SELECT array_agg(company_id), array_agg(customer_id), array_agg(n), array_agg(s) INTO companies, ids, counts, sums FROM (
            SELECT company_id, customer_id, sum(n) AS n, sum(CASE WHEN refunded THEN 0 ELSE n * grand_total END) AS s FROM (
                SELECT company_id, customer_id, created_at, grand_total, refunded, 1 AS n FROM written WHERE customer_id IS NOT NULL AND status <> 'cancelled'
                UNION ALL
                SELECT company_id, customer_id, created_at, grand_total, refunded, -1 FROM was WHERE customer_id IS NOT NULL AND status <> 'cancelled') moved
            GROUP BY 1, 2
            HAVING sum(n) <> 0 OR sum(CASE WHEN refunded THEN 0 ELSE n * grand_total END) <> 0 OR sum(n * extract(epoch FROM created_at)) <> 0) d;
    END IF;
    IF ids IS NULL THEN
        RETURN NULL;
    END IF;
    PERFORM FROM customer c JOIN unnest(companies, ids) d(company_id, id) ON c.company_id = d.company_id AND c.id = d.id
    ORDER BY c.id FOR NO KEY UPDATE OF c;
    UPDATE customer c SET orders = c.orders + d.n, spent = c.spent + d.s, last_order_at = (
        SELECT max(o.created_at) FROM shop_order o WHERE o.company_id = c.company_id AND o.customer_id = c.id AND o.status <> 'cancelled')
    FROM unnest(companies, ids, counts, sums) d(company_id, id, n, s) WHERE c.company_id = d.company_id AND c.id = d.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER customer_counts_insert AFTER INSERT ON shop_order REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION customer_counts();
CREATE TRIGGER customer_counts_update AFTER UPDATE ON shop_order REFERENCING OLD TABLE AS was NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION customer_counts();
CREATE TRIGGER customer_counts_delete AFTER DELETE ON shop_order REFERENCING OLD TABLE AS was
    FOR EACH STATEMENT EXECUTE FUNCTION customer_counts();

-- Money that went back was not spent.
-- +goose StatementBegin
CREATE FUNCTION order_refunded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shop_order o SET refunded = s.refunded FROM (
        SELECT bool_or(status = 'refunded') AND NOT bool_or(status = 'paid') AS refunded
        FROM payment WHERE company_id = NEW.company_id AND order_id = NEW.order_id) s
    WHERE o.company_id = NEW.company_id AND o.id = NEW.order_id AND o.refunded <> s.refunded;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER order_refunded AFTER UPDATE OF status ON payment FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND (NEW.status IN ('paid', 'refunded') OR OLD.status IN ('paid', 'refunded'))) EXECUTE FUNCTION order_refunded();

-- Who is erased is looked for by address in all shops.
CREATE INDEX customer_address ON customer (email) WHERE email <> '';

-- Where an order went, as far as that may stay when its buyer is erased: the city and the
-- beginning of the postcode. An address was kept as it came, so anything may be wrong with
-- it. Null: nothing.
-- +goose StatementBegin
CREATE FUNCTION address_left(address json) RETURNS json IMMUTABLE LANGUAGE plpgsql AS $$
DECLARE
    city text := CASE json_typeof(address -> 'city') WHEN 'string' THEN nullif(left(btrim(address ->> 'city'), 100), '') END;
    code text := CASE json_typeof(address -> 'postcode') WHEN 'string' THEN btrim(address ->> 'postcode') END;
BEGIN
    RETURN CASE WHEN city IS NOT NULL THEN json_strip_nulls(json_build_object('city', city, 'postcode', nullif(left(code, least(3, length(code) / 2)), ''))) END;
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- What stays of a line: which variant was bought, and a key that nobody made up.
-- +goose StatementBegin
CREATE FUNCTION choice_left(data json) RETURNS json IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
    RETURN CASE WHEN data ->> 'variant_id' ~ '^[0-9]{1,18}$' THEN json_build_object('variant_id', data ->> 'variant_id') END;
EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE FUNCTION key_left(key text) RETURNS text IMMUTABLE LANGUAGE sql RETURN CASE WHEN key ~ '^(default|v[0-9]+)$' THEN key ELSE 'default' END;

-- Whether one of the addresses stands in what was sent, alone or among other words.
-- +goose StatementBegin
CREATE FUNCTION lead_mentions(answers jsonb, addresses text[]) RETURNS boolean IMMUTABLE LANGUAGE sql RETURN EXISTS (
    SELECT FROM jsonb_each_text(answers) AS a(name, value), regexp_split_to_table(lower(a.value), '[][\s,;:<>()"'']+') AS word
    WHERE btrim(word, '.!?') = ANY (addresses));
-- +goose StatementEnd
