-- +goose Up

-- An address without writing it down: letters to a label of a mailbox (ann+tea@…) reach the mailbox.
-- +goose StatementBegin
CREATE FUNCTION address_hash(address text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT substring(sha256(convert_to(email_key(address), 'UTF8')) FOR 16)
$$;
-- +goose StatementEnd

-- The address that was entered at the checkout of a cart, and whether its owner agreed to a
-- reminder. opened_cart is the cart whose link brought lines here. remind_at is when a worker may
-- look at the cart again: after its lease, or never until the cart changes.
ALTER TABLE cart
    ADD COLUMN id             bigint GENERATED ALWAYS AS IDENTITY,
    ADD COLUMN reminder_email text NOT NULL DEFAULT '',
    ADD COLUMN agreed         boolean NOT NULL DEFAULT false,
    ADD COLUMN opened_cart    bigint,
    ADD COLUMN remind_at      timestamptz NOT NULL DEFAULT '-infinity';
CREATE UNIQUE INDEX cart_id ON cart (company_id, id);
CREATE INDEX cart_left ON cart (company_id, updated_at) WHERE remind_at < 'infinity';
CREATE INDEX cart_newest ON cart (company_id, updated_at DESC, id);
CREATE INDEX cart_reminder_email ON cart (company_id, lower(reminder_email)) WHERE reminder_email <> '';

-- The letters about carts that were left. A cart and an address have one until somebody orders
-- with that cart or address; order_id is that order.
CREATE TABLE cart_reminder (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    cart_id    bigint NOT NULL,
    recipient  bytea NOT NULL, -- address_hash
    code       text NOT NULL DEFAULT '', -- personal code in the letter
    sent_at    timestamptz NOT NULL DEFAULT now(),
    order_id   bigint,
    ended_at   timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX cart_reminder_cart ON cart_reminder (company_id, cart_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX cart_reminder_recipient ON cart_reminder (company_id, recipient) WHERE ended_at IS NULL;
CREATE INDEX cart_reminder_newest ON cart_reminder (company_id, cart_id, id);
CREATE INDEX cart_reminder_sent ON cart_reminder (company_id, sent_at);
CREATE INDEX cart_reminder_age ON cart_reminder (sent_at) WHERE ended_at IS NULL;
CREATE INDEX cart_reminder_order ON cart_reminder (company_id, order_id) WHERE order_id IS NOT NULL;

-- Addresses that want no reminders from a shop, or were erased there.
CREATE TABLE reminder_refusal (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    recipient  bytea NOT NULL, -- address_hash
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, recipient)
);
