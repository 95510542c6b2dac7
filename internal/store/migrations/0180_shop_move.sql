-- +goose Up

-- A shop that moves between two installations. At the one that it comes from the row says where it has
-- gone; at the other one, until it has arrived, how much of it has come: the rows that transactions
-- from since on have written there are missing, as long as its database has that history.
CREATE TABLE shop_move (
    company_id integer PRIMARY KEY REFERENCES company ON DELETE CASCADE,
    peer       uuid NOT NULL, -- the other installation
    peer_id    integer NOT NULL, -- the shop there
    gone       boolean NOT NULL,
    origin     text NOT NULL DEFAULT '', -- of the shop there
    admin_url  text NOT NULL DEFAULT '',
    history    text NOT NULL DEFAULT '',
    since      text NOT NULL DEFAULT '',
    at         timestamptz NOT NULL DEFAULT now()
);

-- The people of an arriving shop: their ids there and here. made: the move has created the account.
CREATE TABLE shop_move_person (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    was        integer NOT NULL,
    id         integer NOT NULL,
    made       boolean NOT NULL,
    PRIMARY KEY (company_id, was),
    UNIQUE (company_id, id)
);

-- What checks the links that an earlier installation has signed for the shop; was is its id there.
CREATE TABLE shop_link_key (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    peer       uuid NOT NULL,
    was        integer NOT NULL,
    sealed     bytea NOT NULL,
    PRIMARY KEY (company_id, peer, was)
);

-- Whether the writes of a shop may be committed: not while the last of its rows are copied, and not
-- after it has gone. A transaction asks before its commit, and who copies waits for those that have asked.
-- +goose StatementBegin
CREATE FUNCTION shop_writes(company integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('moving:' || company::text, 0))
        OR EXISTS (SELECT FROM public.shop_move WHERE company_id = company AND gone) THEN
        RAISE EXCEPTION 'the shop moves' USING ERRCODE = 'VMOVE';
    END IF;
END $$;
-- +goose StatementEnd

-- A shop that moves here brings what triggers have made of its rows there.
CREATE OR REPLACE TRIGGER customer_begins BEFORE INSERT ON customer FOR EACH ROW
    WHEN (current_setting('vitrine.moving', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION customer_begins();
CREATE OR REPLACE TRIGGER customer_updated BEFORE UPDATE ON customer FOR EACH ROW
    WHEN ((OLD.email IS DISTINCT FROM NEW.email OR OLD.name IS DISTINCT FROM NEW.name OR OLD.phone IS DISTINCT FROM NEW.phone
        OR OLD.note IS DISTINCT FROM NEW.note) AND current_setting('vitrine.moving', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION customer_updated();
CREATE OR REPLACE TRIGGER customer_counts_insert AFTER INSERT ON shop_order REFERENCING NEW TABLE AS written FOR EACH STATEMENT
    WHEN (current_setting('vitrine.moving', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION customer_counts();
CREATE OR REPLACE TRIGGER customer_counts_update AFTER UPDATE ON shop_order REFERENCING OLD TABLE AS was NEW TABLE AS written FOR EACH STATEMENT
    WHEN (current_setting('vitrine.moving', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION customer_counts();
CREATE OR REPLACE TRIGGER customer_counts_delete AFTER DELETE ON shop_order REFERENCING OLD TABLE AS was FOR EACH STATEMENT
    WHEN (current_setting('vitrine.moving', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION customer_counts();
CREATE OR REPLACE TRIGGER order_customer BEFORE INSERT ON shop_order FOR EACH ROW
    WHEN (NEW.customer_id IS NULL AND NEW.contact_name <> '' AND current_setting('vitrine.moving', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION order_customer();
CREATE OR REPLACE TRIGGER order_payment AFTER INSERT ON payment FOR EACH ROW
    WHEN (current_setting('vitrine.moving', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION order_refunded();
CREATE OR REPLACE TRIGGER order_refunded AFTER UPDATE OF status ON payment FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND current_setting('vitrine.moving', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION order_refunded();
CREATE OR REPLACE TRIGGER event_recipients AFTER INSERT ON event REFERENCING NEW TABLE AS written FOR EACH STATEMENT
    WHEN (current_setting('vitrine.moving', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION event_recipients();

-- A shop keeps the ids of its webhooks where it moves to: they are unique to a shop.
CREATE INDEX webhook_by_id ON webhook (id);
DROP INDEX webhook_id;
