-- +goose Up
-- Lists sorted by the last change. Orders change stock without changing updated_at.
CREATE INDEX product_updated ON product (company_id, updated_at, id) WHERE deleted_at IS NULL;
