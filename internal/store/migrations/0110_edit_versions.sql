-- +goose Up
-- When objects were edited, for edits that say which version they were made from.

-- Orders and spending are counted without an edit of the customer.
ALTER TABLE customer ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
-- +goose StatementBegin
CREATE FUNCTION customer_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER customer_updated BEFORE UPDATE ON customer FOR EACH ROW
    WHEN ((OLD.email, OLD.name, OLD.phone, OLD.note) IS DISTINCT FROM (NEW.email, NEW.name, NEW.phone, NEW.note)) EXECUTE FUNCTION customer_updated();

-- customer_join merges a customer, with its groups, into another one of the shop.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION customer_join(company integer, gone bigint, kept bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM shop_order WHERE company_id = company AND customer_id = gone ORDER BY id FOR NO KEY UPDATE;
    PERFORM FROM customer WHERE company_id = company AND id IN (gone, kept) ORDER BY id FOR UPDATE;
    UPDATE shop_order SET customer_id = kept WHERE company_id = company AND customer_id = gone;
    INSERT INTO customer_member (company_id, group_id, customer_id)
        SELECT company_id, group_id, kept FROM customer_member WHERE company_id = company AND customer_id = gone ON CONFLICT DO NOTHING;
    UPDATE customer k SET
        name = coalesce(nullif(k.name, ''), g.name), phone = coalesce(nullif(k.phone, ''), g.phone),
        note = left(concat_ws(E'\n', nullif(k.note, ''), nullif(g.note, '')), 4000), created_at = least(k.created_at, g.created_at),
        updated_at = now()
    FROM customer g WHERE k.company_id = company AND k.id = kept AND g.company_id = company AND g.id = gone;
    DELETE FROM customer WHERE company_id = company AND id = gone;
END $$;
-- +goose StatementEnd

ALTER TABLE media_file ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

-- Of the settings of redirects.
ALTER TABLE company ADD COLUMN miss_fallback_at timestamptz NOT NULL DEFAULT now();
