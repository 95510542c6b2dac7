-- +goose Up

-- How a shop takes money, with what its provider is reached with, sealed.
CREATE TABLE payment_method (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    method     text NOT NULL CHECK (method IN ('manual', 'sandbox', 'stripe', 'yookassa')),
    title      text NOT NULL DEFAULT '',
    is_active  boolean NOT NULL DEFAULT false,
    sealed     bytea, -- null: the method needs no secrets
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, method)
);

-- A payment is an attempt, written before its provider is called.
ALTER TABLE payment
    ADD COLUMN key          uuid NOT NULL DEFAULT gen_random_uuid(), -- under which it begins at the provider once
    ADD COLUMN return_url   text NOT NULL DEFAULT '',
    ADD COLUMN redirect_url text NOT NULL DEFAULT '',
    ADD COLUMN look_at      timestamptz, -- when the provider is asked next; null: not any more
    ADD COLUMN looks        integer NOT NULL DEFAULT 0;
CREATE INDEX payment_due ON payment (look_at) WHERE look_at IS NOT NULL;
CREATE INDEX payment_ref ON payment (company_id, method, provider_ref) WHERE provider_ref <> '';
CREATE UNIQUE INDEX payment_open ON payment (company_id, order_id, method) WHERE status = 'pending';

-- Money that goes back, written before the provider is called.
CREATE TABLE payment_refund (
    company_id   integer NOT NULL,
    payment_id   bigint NOT NULL,
    key          uuid NOT NULL DEFAULT gen_random_uuid(),
    amount_minor bigint NOT NULL CHECK (amount_minor > 0),
    state        text NOT NULL DEFAULT 'created' CHECK (state IN ('created', 'confirmed', 'failed')),
    try_at       timestamptz, -- null: it is settled
    tries        integer NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, payment_id),
    FOREIGN KEY (company_id, payment_id) REFERENCES payment ON DELETE CASCADE
);
CREATE INDEX payment_refund_due ON payment_refund (try_at) WHERE try_at IS NOT NULL;

-- What providers told, as they told it.
CREATE TABLE payment_notice (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    method     text NOT NULL,
    ref        text NOT NULL,
    body       bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id)
);
CREATE INDEX payment_notice_ref ON payment_notice (company_id, method, ref);
CREATE INDEX payment_notice_age ON payment_notice (created_at);

-- What the provider that the platform plays itself knows of a payment.
CREATE TABLE sandbox_payment (
    company_id   integer NOT NULL REFERENCES company ON DELETE CASCADE,
    ref          text NOT NULL, -- nobody can guess it: who knows it may pay
    key          text NOT NULL, -- under which it began
    payment_id   bigint NOT NULL,
    title        text NOT NULL,
    amount_minor bigint NOT NULL,
    currency     text NOT NULL,
    return_url   text NOT NULL,
    state        text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paid', 'failed')),
    seen_from    timestamptz NOT NULL DEFAULT now(), -- until then it is still open for who asks
    refunded     bigint NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, ref)
);
CREATE UNIQUE INDEX sandbox_payment_key ON sandbox_payment (company_id, key);
