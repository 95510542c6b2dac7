-- +goose Up

-- Variants share the stock of their product (document 2, 2.3): a number of
-- their own was a second truth that no order would have kept.
DROP VIEW dev.variant_set;
ALTER TABLE variant_set DROP COLUMN stock_quantity;
SELECT draft_shadow('variant_set');

-- A threshold that is null warns at zero alone, which is what 0 has meant too.
DROP VIEW dev.product;
ALTER TABLE product ALTER stock_low_threshold DROP NOT NULL, ALTER stock_low_threshold DROP DEFAULT,
    ADD CHECK (stock_low_threshold >= 0), ADD CHECK (stock_quantity >= 0);
ALTER TABLE draft.product ALTER stock_low_threshold DROP NOT NULL, ALTER stock_low_threshold DROP DEFAULT;
UPDATE product SET stock_low_threshold = NULL WHERE stock_low_threshold = 0;
UPDATE draft.product SET stock_low_threshold = NULL WHERE stock_low_threshold = 0;
SELECT draft_shadow('product', '{stock_quantity,stock_low_threshold,rating,rating_count,ad_mode}');
