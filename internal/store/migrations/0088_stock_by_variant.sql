-- +goose Up

-- Whether a product is counted as a whole or by its variant sets. By variant, stock_quantity is
-- the sum of the sets that are tracked, null while none is.
ALTER TABLE product ADD COLUMN stock_by text NOT NULL DEFAULT 'product' CHECK (stock_by IN ('product', 'variant'));
COMMENT ON COLUMN product.stock_by IS 'has no draft';
SELECT draft_change('product');

ALTER TABLE variant_set
    ADD COLUMN stock_quantity integer CHECK (stock_quantity >= 0),
    ADD COLUMN stock_low_threshold integer CHECK (stock_low_threshold >= 0);
COMMENT ON COLUMN variant_set.stock_quantity IS 'has no draft';
COMMENT ON COLUMN variant_set.stock_low_threshold IS 'has no draft';
SELECT draft_change('variant_set');

-- What the movement was for each variant that the lines name: {variant_id, delta, balance_after};
-- balance_after is null if the product was counted as a whole.
ALTER TABLE stock_movement ADD COLUMN variants jsonb NOT NULL DEFAULT '[]';

-- The variant that the data of a cart line names; null: none.
-- +goose StatementBegin
CREATE FUNCTION named_variant(data json) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN data ->> 'variant_id' ~ '^[0-9]{1,18}$' THEN (data ->> 'variant_id')::bigint END
$$;
-- +goose StatementEnd
