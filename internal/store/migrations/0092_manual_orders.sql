-- +goose Up

ALTER TABLE shop_order ADD COLUMN source text NOT NULL DEFAULT 'storefront'; -- or manual
ALTER TABLE order_line ADD COLUMN agreed boolean NOT NULL DEFAULT false; -- the unit price was agreed with the buyer
