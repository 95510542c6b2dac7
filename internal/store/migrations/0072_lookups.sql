-- +goose Up

-- The sets of a shop, which are few: what holds a product is looked for whenever its
-- stock moves.
CREATE INDEX product_sets ON product (company_id) WHERE combo_items <> '[]';

-- Where a review or a question is of which only the id is named.
CREATE INDEX remark_id ON remark (id);
