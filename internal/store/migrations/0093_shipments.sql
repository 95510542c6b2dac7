-- +goose Up

-- A parcel of an order, and how many units of which lines it contains.
CREATE TABLE shipment (
    company_id   integer NOT NULL,
    order_id     bigint NOT NULL,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    carrier      text NOT NULL CHECK (carrier <> ''),
    number       text NOT NULL, -- empty: the buyer was erased
    url          text NOT NULL DEFAULT '', -- empty: the page of the carrier
    shipped_at   timestamptz NOT NULL,
    delivered_at timestamptz, -- null: not known to have arrived
    PRIMARY KEY (company_id, order_id, id),
    FOREIGN KEY (company_id, order_id) REFERENCES shop_order ON DELETE CASCADE
);
CREATE TABLE shipment_line (
    company_id  integer NOT NULL,
    order_id    bigint NOT NULL,
    shipment_id bigint NOT NULL,
    line_id     bigint NOT NULL,
    quantity    integer NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (company_id, order_id, shipment_id, line_id),
    FOREIGN KEY (company_id, order_id, shipment_id) REFERENCES shipment ON DELETE CASCADE,
    FOREIGN KEY (company_id, order_id, line_id) REFERENCES order_line ON DELETE CASCADE
);
CREATE INDEX shipment_line_line ON shipment_line (company_id, order_id, line_id);

ALTER TABLE shop_order ADD COLUMN shipment_status text NOT NULL DEFAULT 'none'
    CHECK (shipment_status IN ('none', 'partial', 'shipped', 'delivered'));
