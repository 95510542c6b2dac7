-- +goose Up

-- Names are searched within one shop: the shop is part of the index, so that the
-- names of other shops are not looked at.
CREATE EXTENSION IF NOT EXISTS btree_gin;
DROP INDEX product_name;
CREATE INDEX product_name ON product USING gin (company_id, name gin_trgm_ops);

-- Lists sorted by name and by price. A name may be longer than an entry of an
-- index, so the first hundred characters decide.
CREATE INDEX product_by_name ON product (company_id, left(name, 100), id) WHERE deleted_at IS NULL;
CREATE INDEX product_by_price ON product (company_id, price, id) WHERE deleted_at IS NULL;
