-- +goose Up

-- Null: unknown.
ALTER TABLE product ADD COLUMN weight_g integer CHECK (weight_g BETWEEN 0 AND 10000000);
SELECT draft_change('product');

-- Null and empty: those of the product.
ALTER TABLE variant_set
    ADD COLUMN old_price bigint CHECK (old_price BETWEEN 0 AND 2000000000),
    ADD COLUMN gtin text NOT NULL DEFAULT '',
    ADD COLUMN weight_g integer CHECK (weight_g BETWEEN 0 AND 10000000);
SELECT draft_change('variant_set');
