-- +goose Up

-- Whether a client may name the price of a line. Null: the shop's setting client_prices says.
ALTER TABLE product ADD COLUMN configurable boolean;
SELECT draft_change('product');
