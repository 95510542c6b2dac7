-- +goose Up

-- Programs through which people buy: a platform that publishes a profile (ucp; name is the address
-- of the profile), or one that has a token of the shop (acp; name is what the shop calls it).
CREATE TABLE assist_platform (
    company_id  integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id          bigint GENERATED ALWAYS AS IDENTITY,
    protocol    text NOT NULL CHECK (protocol IN ('ucp', 'acp')),
    name        text NOT NULL,
    webhook_url text NOT NULL DEFAULT '', -- for events of its orders; empty: none
    blocked     boolean NOT NULL DEFAULT false,
    sessions    bigint NOT NULL DEFAULT 0, -- created so far
    created_at  timestamptz NOT NULL DEFAULT now(),
    seen_at     timestamptz NOT NULL DEFAULT now(), -- when it last created a session
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX assist_platform_profile ON assist_platform (company_id, name) WHERE protocol = 'ucp';

-- A cart or a checkout that a platform fills. Its lines and its code are also in the cart of a guest
-- of its own, which an order takes them from. input is what the platform said; shown_total is the
-- total that it was last answered.
CREATE TABLE assist_session (
    company_id  integer NOT NULL,
    id          text NOT NULL,
    kind        text NOT NULL CHECK (kind IN ('cart', 'purchase')),
    platform_id bigint NOT NULL,
    person_id   integer NOT NULL REFERENCES person ON DELETE CASCADE, -- the guest
    buyer_id    integer REFERENCES person ON DELETE SET NULL, -- the person who linked the platform; null: none
    signed      boolean NOT NULL,
    input       jsonb NOT NULL,
    state       text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'completing', 'handed_off', 'completed', 'canceled')),
    shown_total bigint NOT NULL DEFAULT 0,
    cart_id     text, -- the session of kind cart that a checkout was made of
    order_id    bigint,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, platform_id) REFERENCES assist_platform ON DELETE CASCADE
);
CREATE INDEX assist_session_person ON assist_session (person_id);
CREATE INDEX assist_session_buyer ON assist_session (buyer_id) WHERE buyer_id IS NOT NULL;
CREATE INDEX assist_session_platform ON assist_session (company_id, platform_id);
CREATE INDEX assist_session_cart ON assist_session (company_id, cart_id) WHERE cart_id IS NOT NULL;
CREATE INDEX assist_session_order ON assist_session (company_id, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX assist_session_end ON assist_session (expires_at);

-- Through which platform an order was made: {protocol, platform, platform_id, session, attribution};
-- null for orders of other sources.
ALTER TABLE shop_order ADD COLUMN assistant jsonb;
CREATE INDEX shop_order_assistant ON shop_order (company_id, ((assistant ->> 'platform_id')::bigint)) WHERE assistant IS NOT NULL;
