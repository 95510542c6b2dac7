-- +goose Up

-- Facets look values up by attribute, and ranges by number.
CREATE INDEX product_attribute_option ON product_attribute (company_id, attribute_id, option_id, product_id);
CREATE INDEX product_attribute_number ON product_attribute (company_id, attribute_id, number) WHERE number IS NOT NULL;

CREATE UNIQUE INDEX attribute_name ON attribute (company_id, lower(name)) WHERE deleted_at IS NULL;

-- A sku is unique among the variants of living products. product_deleted
-- follows the product, so that the index alone decides.
ALTER TABLE variant_set ADD COLUMN product_deleted boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX variant_set_sku ON variant_set (company_id, sku) WHERE sku <> '' AND NOT product_deleted;

ALTER TABLE product_group ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX product_group_products ON product_group USING gin (products) WHERE deleted_at IS NULL;

-- Home pages and listings are sorted by date, and an export reads by id.
CREATE INDEX product_recent ON product (company_id, created_at, id) WHERE deleted_at IS NULL;
