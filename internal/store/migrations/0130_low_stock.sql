-- +goose Up
-- What is low is counted without reading the products. The conditions are those of the statements.
CREATE INDEX product_low ON product (company_id)
    WHERE deleted_at IS NULL AND combo_items = '[]' AND stock_by = 'product' AND stock_quantity <= coalesce(stock_low_threshold, 0);
CREATE INDEX variant_set_low ON variant_set (company_id, product_id) WHERE stock_quantity <= coalesce(stock_low_threshold, 0);
