-- +goose Up

-- Money that a provider reserves with a token before there is an order, written before the provider
-- is called. The token itself is never stored. The id of a charge is its idempotency key at the
-- provider, and the key of the payment that it becomes.
CREATE TABLE charge (
    company_id   integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id           uuid NOT NULL DEFAULT gen_random_uuid(),
    session      text NOT NULL, -- what is paid
    state        text NOT NULL DEFAULT 'begun' CHECK (state IN ('begun', 'authorised', 'attached', 'voiding', 'voided', 'failed')),
    amount_minor bigint NOT NULL CHECK (amount_minor > 0),
    currency     text NOT NULL,
    ref          text NOT NULL DEFAULT '', -- the provider's id; empty: not known
    order_id     bigint,                   -- whose payment it became
    look_at      timestamptz,              -- when the worker ends it; null: it has ended
    looks        integer NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, order_id) REFERENCES shop_order ON DELETE CASCADE
);
CREATE INDEX charge_due ON charge (look_at) WHERE look_at IS NOT NULL;
CREATE INDEX charge_age ON charge (created_at) WHERE look_at IS NULL;
CREATE INDEX charge_order ON charge (company_id, order_id) WHERE order_id IS NOT NULL;

-- Settings of a payment method that are no secrets, such as a publishable key.
ALTER TABLE payment_method ADD COLUMN public jsonb; -- null: none
