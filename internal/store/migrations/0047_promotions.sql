-- +goose Up

-- What a shop takes off its prices. used and spent count the redemptions of orders
-- that are not cancelled.
CREATE TABLE promotion (
    company_id   integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    name         text NOT NULL CHECK (name <> ''),
    kind         text NOT NULL CHECK (kind IN ('discount', 'order_discount', 'coupon', 'gift', 'personal_coupon')),
    active       boolean NOT NULL DEFAULT true,
    starts_at    timestamptz,
    ends_at      timestamptz,
    priority     integer NOT NULL DEFAULT 100,
    stacking     text NOT NULL DEFAULT 'stack' CHECK (stacking IN ('stack', 'exclusive')),
    code         text NOT NULL DEFAULT '',
    conditions   jsonb NOT NULL DEFAULT '{}', -- {min_total, min_quantity, category_ids, product_ids, exclude_product_ids, first_order, customer_group_ids}
    value        jsonb NOT NULL DEFAULT '{}', -- {points} or {amount}, or {product_id, variant_id, quantity, per_quantity}
    issue        jsonb,                       -- of a personal coupon: {on, min_total, days, prefix}
    limit_total  bigint CHECK (limit_total > 0),
    limit_buyer  bigint CHECK (limit_buyer > 0),
    limit_budget bigint CHECK (limit_budget > 0),
    used         bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
    spent        bigint NOT NULL DEFAULT 0 CHECK (spent >= 0),
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    deleted_at   timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX promotion_code ON promotion (company_id, code) WHERE code <> '' AND deleted_at IS NULL;

-- A price by quantity.
CREATE TABLE pricing_rule (
    company_id   integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    name         text NOT NULL CHECK (name <> ''),
    active       boolean NOT NULL DEFAULT true,
    version      bigint NOT NULL DEFAULT 1,
    product_ids  integer[] NOT NULL DEFAULT '{}',
    category_ids integer[] NOT NULL DEFAULT '{}',
    count        text NOT NULL DEFAULT 'line' CHECK (count IN ('line', 'product', 'rule')),
    tiers        jsonb NOT NULL, -- {from, points} or {from, price}
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    deleted_at   timestamptz,
    PRIMARY KEY (company_id, id)
);

-- A code that one buyer has of a campaign.
CREATE TABLE personal_code (
    company_id    integer NOT NULL,
    code          text NOT NULL,
    promotion_id  bigint NOT NULL,
    person_id     integer NOT NULL REFERENCES person ON DELETE CASCADE,
    expires_at    timestamptz,
    used_order_id bigint, -- null: not used, or given back
    order_id      bigint, -- whose completion issued it; null: by hand
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, code),
    FOREIGN KEY (company_id, promotion_id) REFERENCES promotion (company_id, id) ON DELETE CASCADE
);
CREATE INDEX personal_code_person ON personal_code (person_id, company_id);
CREATE INDEX personal_code_promotion ON personal_code (company_id, promotion_id, created_at);
CREATE INDEX personal_code_used ON personal_code (company_id, used_order_id) WHERE used_order_id IS NOT NULL;
CREATE UNIQUE INDEX personal_code_order ON personal_code (company_id, promotion_id, order_id) WHERE order_id IS NOT NULL;

-- What of a promotion an order used.
CREATE TABLE redemption (
    company_id   integer NOT NULL,
    order_id     bigint NOT NULL,
    promotion_id bigint NOT NULL,
    person_id    integer NOT NULL,
    code         text NOT NULL DEFAULT '',
    amount       bigint NOT NULL CHECK (amount >= 0),
    given_back   boolean NOT NULL DEFAULT false, -- the order is cancelled
    created_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, order_id, promotion_id),
    FOREIGN KEY (company_id, order_id) REFERENCES shop_order ON DELETE CASCADE,
    FOREIGN KEY (company_id, promotion_id) REFERENCES promotion (company_id, id) ON DELETE CASCADE
);
CREATE INDEX redemption_person ON redemption (company_id, promotion_id, person_id) WHERE NOT given_back;
