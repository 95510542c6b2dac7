-- +goose Up

-- A guest is a person without an address, until he registers. Guests that do
-- nothing for 30 days are removed with what they left.
DROP INDEX person_email;
CREATE UNIQUE INDEX person_email ON person (lower(email)) WHERE email <> '';
ALTER TABLE person ADD COLUMN phone text NOT NULL DEFAULT '', ADD COLUMN seen_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX person_guest ON person (seen_at) WHERE email = '';

-- A session that was made on the host of a shop is good there alone: its owner's
-- scripts run beside it.
ALTER TABLE session ADD COLUMN company_id integer REFERENCES company ON DELETE CASCADE;
CREATE INDEX session_company ON session (company_id) WHERE company_id IS NOT NULL;

CREATE TABLE person_address (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    person_id  integer NOT NULL REFERENCES person ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    name       text NOT NULL,
    phone      text NOT NULL,
    country    text NOT NULL,
    region     text NOT NULL,
    city       text NOT NULL,
    street     text NOT NULL,
    postcode   text NOT NULL,
    comment    text NOT NULL,
    is_default boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id)
);
CREATE INDEX person_address_person ON person_address (person_id, company_id, id);
CREATE UNIQUE INDEX person_address_default ON person_address (company_id, person_id) WHERE is_default;

CREATE TABLE wishlist_item (
    company_id integer NOT NULL,
    person_id  integer NOT NULL REFERENCES person ON DELETE CASCADE,
    product_id integer NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, person_id, product_id),
    FOREIGN KEY (company_id, product_id) REFERENCES product (company_id, id) ON DELETE CASCADE
);
CREATE INDEX wishlist_item_person ON wishlist_item (person_id);
CREATE INDEX wishlist_item_product ON wishlist_item (company_id, product_id);

-- A cart of one buyer in one shop. Its row is what every change of the cart and
-- the checkout lock first.
CREATE TABLE cart (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    person_id  integer NOT NULL REFERENCES person ON DELETE CASCADE,
    promo_code text NOT NULL DEFAULT '',
    version    bigint NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, person_id)
);
CREATE INDEX cart_person ON cart (person_id);
CREATE INDEX cart_age ON cart (updated_at);

CREATE TABLE cart_line (
    company_id integer NOT NULL,
    person_id  integer NOT NULL,
    product_id integer NOT NULL,
    key        text NOT NULL CHECK (key <> ''),
    position   bigint GENERATED ALWAYS AS IDENTITY, -- lines stand in the order in which they were added
    quantity   integer NOT NULL CHECK (quantity BETWEEN 1 AND 9999),
    data       json, -- as it was sent
    PRIMARY KEY (company_id, person_id, product_id, key),
    FOREIGN KEY (company_id, person_id) REFERENCES cart ON DELETE CASCADE,
    FOREIGN KEY (company_id, product_id) REFERENCES product (company_id, id) ON DELETE CASCADE
);
CREATE INDEX cart_line_product ON cart_line (company_id, product_id);

-- Merges that carried an id, so that a second one changes nothing.
CREATE TABLE cart_merge (
    company_id integer NOT NULL,
    person_id  integer NOT NULL,
    merge_id   text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, person_id, merge_id),
    FOREIGN KEY (company_id, person_id) REFERENCES cart ON DELETE CASCADE
);

CREATE TABLE delivery_option (
    company_id    integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    name          text NOT NULL CHECK (name <> ''),
    description   text NOT NULL DEFAULT '',
    price         bigint NOT NULL DEFAULT 0 CHECK (price BETWEEN 0 AND 2000000000),
    free_from     bigint CHECK (free_from BETWEEN 0 AND 2000000000), -- null: never free
    is_active     boolean NOT NULL DEFAULT true,
    needs_address boolean NOT NULL DEFAULT false,
    sort_order    integer NOT NULL DEFAULT 0,
    deleted_at    timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX delivery_option_order ON delivery_option (company_id, sort_order, id) WHERE deleted_at IS NULL;

-- The number of the newest order of a shop: a row of its own, so that checkouts
-- do not wait for edits of the shop.
CREATE TABLE order_counter (
    company_id integer PRIMARY KEY REFERENCES company ON DELETE CASCADE,
    last       bigint NOT NULL
);

-- An order is what was agreed: sums, lines and promotions are written once. The
-- buyer's account may be gone; the order keeps its number.
CREATE TABLE shop_order (
    company_id        integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id                bigint GENERATED ALWAYS AS IDENTITY,
    number            bigint NOT NULL,
    person_id         integer NOT NULL CHECK (person_id <> 0),
    status            text NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'processing', 'completed', 'cancelled')),
    status_changed_at timestamptz NOT NULL DEFAULT now(),
    status_by         integer NOT NULL DEFAULT 0,
    completed_once    boolean NOT NULL DEFAULT false,
    items_total       bigint NOT NULL CHECK (items_total BETWEEN 0 AND 2000000000),
    discount_total    bigint NOT NULL CHECK (discount_total >= 0),
    currency          text NOT NULL,
    promotions        jsonb NOT NULL DEFAULT '[]',
    delivery          jsonb, -- {id, name, price}; null: the shop had no options
    grand_total       bigint NOT NULL CHECK (grand_total >= items_total),
    contact_name      text NOT NULL,
    contact_phone     text NOT NULL,
    contact_email     text NOT NULL DEFAULT '',
    address           json,
    comment           text NOT NULL DEFAULT '',
    payment_method    text NOT NULL DEFAULT '',
    buyer_seen_at     timestamptz NOT NULL DEFAULT now(), -- of the messages
    seller_seen_at    timestamptz NOT NULL DEFAULT now(),
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, number)
);
CREATE INDEX shop_order_newest ON shop_order (company_id, created_at DESC, id DESC);
CREATE INDEX shop_order_person ON shop_order (person_id, created_at DESC, id DESC);
CREATE INDEX shop_order_unpaid ON shop_order (company_id, created_at) WHERE status = 'new';

CREATE TABLE order_line (
    company_id      integer NOT NULL,
    order_id        bigint NOT NULL,
    id              bigint GENERATED ALWAYS AS IDENTITY,
    product_id      integer NOT NULL, -- which may have been deleted since
    variant_id      bigint NOT NULL DEFAULT 0,
    key             text NOT NULL,
    name            text NOT NULL,
    sku             text NOT NULL DEFAULT '',
    image           text NOT NULL DEFAULT '',
    url             text NOT NULL DEFAULT '',
    quantity        integer NOT NULL CHECK (quantity BETWEEN 1 AND 9999),
    unit_price      bigint NOT NULL CHECK (unit_price >= 0),
    base_unit_price bigint NOT NULL DEFAULT 0 CHECK (base_unit_price >= 0),
    is_gift         boolean NOT NULL DEFAULT false, -- for the stock; no answer shows it
    data            json,
    combo_items     jsonb NOT NULL DEFAULT '[]', -- {product_id, variant_id, quantity, name}: what leaves the shelf
    PRIMARY KEY (company_id, order_id, id),
    FOREIGN KEY (company_id, order_id) REFERENCES shop_order ON DELETE CASCADE
);

-- Who did what with an order and when.
CREATE TABLE order_history (
    company_id integer NOT NULL,
    order_id   bigint NOT NULL,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    kind       text NOT NULL, -- created, status, payment, refund
    body       jsonb NOT NULL DEFAULT '{}',
    actor_id   integer NOT NULL DEFAULT 0, -- 0: the program
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, order_id, id),
    FOREIGN KEY (company_id, order_id) REFERENCES shop_order ON DELETE CASCADE
);

CREATE TABLE order_message (
    company_id integer NOT NULL,
    order_id   bigint NOT NULL,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    by_buyer   boolean NOT NULL,
    person_id  integer NOT NULL,
    text       text NOT NULL,
    file_ids   uuid[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, order_id, id),
    FOREIGN KEY (company_id, order_id) REFERENCES shop_order ON DELETE CASCADE
);

CREATE TABLE payment (
    company_id   integer NOT NULL,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    order_id     bigint NOT NULL,
    method       text NOT NULL,
    provider     text NOT NULL,
    status       text NOT NULL CHECK (status IN ('pending', 'paid', 'failed', 'refunded')),
    amount_minor bigint NOT NULL CHECK (amount_minor >= 0),
    currency     text NOT NULL,
    provider_ref text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL DEFAULT now(),
    paid_at      timestamptz,
    refunded_at  timestamptz,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, order_id) REFERENCES shop_order ON DELETE CASCADE
);
CREATE INDEX payment_order ON payment (company_id, order_id, id);

-- What left the shelf or came back (document 2, 2.3).
CREATE TABLE stock_movement (
    company_id    integer NOT NULL,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    product_id    integer NOT NULL,
    order_id      bigint, -- null: by hand
    delta         integer NOT NULL CHECK (delta <> 0),
    balance_after integer NOT NULL CHECK (balance_after >= 0),
    reason        text NOT NULL CHECK (reason IN ('order', 'cancel', 'reorder', 'manual', 'return', 'import')),
    round         integer NOT NULL DEFAULT 0 CHECK (round >= 0),
    comment       text CHECK (comment <> ''),
    actor_id      integer NOT NULL DEFAULT 0,
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, product_id) REFERENCES product (company_id, id) ON DELETE CASCADE,
    FOREIGN KEY (company_id, order_id) REFERENCES shop_order ON DELETE CASCADE
);
CREATE UNIQUE INDEX stock_movement_once ON stock_movement (company_id, order_id, product_id, reason, round) WHERE order_id IS NOT NULL;
CREATE INDEX stock_movement_product ON stock_movement (company_id, product_id, created_at DESC, id DESC);
-- A cart names a product without its shop, a buyer an order without its own.
CREATE INDEX product_number ON product (id);
CREATE INDEX shop_order_id ON shop_order (id);
CREATE INDEX product_low_stock ON product (company_id, stock_quantity) WHERE deleted_at IS NULL AND stock_quantity IS NOT NULL;

-- A set is sold as one product and taken from the shelf as its components.
ALTER TABLE product ADD COLUMN combo_items jsonb NOT NULL DEFAULT '[]', -- {product_id, variant_id, quantity}
    ADD COLUMN combo_percent integer NOT NULL DEFAULT 0 CHECK (combo_percent BETWEEN 0 AND 10000); -- basis points
CREATE INDEX product_reduced ON product (company_id, created_at DESC, id DESC)
    WHERE deleted_at IS NULL AND (old_price > price AND price > 0 OR combo_percent > 0);
SELECT draft_change('product');

-- What a shop sells by, and whether the operator stopped it.
ALTER TABLE company ADD COLUMN blocked boolean NOT NULL DEFAULT false,
    ADD COLUMN price_digits smallint NOT NULL DEFAULT 0 CHECK (price_digits BETWEEN 0 AND 4),
    ADD COLUMN cancel_unpaid_after_hours integer NOT NULL DEFAULT 0 CHECK (cancel_unpaid_after_hours >= 0);
