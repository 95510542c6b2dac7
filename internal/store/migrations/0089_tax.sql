-- +goose Up

-- The class of a product for tax: which of the shop's rates applies.
ALTER TABLE product ADD COLUMN tax_class text NOT NULL DEFAULT 'standard' CHECK (tax_class IN ('standard', 'reduced', 'zero'));
SELECT draft_change('product');

-- The taxes of an order, frozen when it is made: {name, percent, base, amount} for each rate; null
-- for orders from before, which have one rate, in tax. Lines have the rate of each:
-- {name, percent}.
ALTER TABLE shop_order
    ADD COLUMN taxes jsonb,
    ADD COLUMN contact_vat_number text NOT NULL DEFAULT '';
ALTER TABLE order_line ADD COLUMN taxes jsonb;
