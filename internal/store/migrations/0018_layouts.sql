-- +goose Up
-- Every page asks for the shop's earliest layout (document 3, 4.1), among
-- blocks of which each article has two.
CREATE INDEX content_block_layout ON content_block (company_id, id) WHERE group_type = 'theme' AND deleted_at IS NULL;
