-- +goose Up

-- What members filter products by. An item number is found by its beginning, in any case.
CREATE INDEX product_deleted ON product (company_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX product_sku_words ON product (company_id, lower(sku) text_pattern_ops) WHERE sku <> '';
CREATE INDEX variant_set_sku_words ON variant_set (company_id, lower(sku) text_pattern_ops) WHERE sku <> '';
CREATE INDEX product_tags ON product USING gin (company_id, tags) WITH (fastupdate = off);

-- The texts of attributes, which searches find.
CREATE INDEX product_attribute_text ON product_attribute (company_id, product_id) WHERE text <> '';
