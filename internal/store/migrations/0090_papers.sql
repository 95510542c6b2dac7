-- +goose Up

-- The last number of the invoices and of the credit notes that a shop issued in a year. The row is
-- locked by the transaction that issues one, so that the numbers have no gap.
CREATE TABLE paper_counter (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    kind       text NOT NULL CHECK (kind IN ('invoice', 'credit_note')),
    year       integer NOT NULL,
    last       integer NOT NULL,
    PRIMARY KEY (company_id, kind, year)
);

-- An issued invoice or credit note of an order. copy is all that it says, as of that moment.
CREATE TABLE order_paper (
    company_id integer NOT NULL,
    order_id   bigint NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('invoice', 'credit_note')),
    number     text NOT NULL,
    issued_at  timestamptz NOT NULL,
    copy       jsonb NOT NULL,
    PRIMARY KEY (company_id, order_id, kind),
    UNIQUE (company_id, number),
    FOREIGN KEY (company_id, order_id) REFERENCES shop_order ON DELETE CASCADE
);
