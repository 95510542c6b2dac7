-- +goose Up

-- The pictures that a document shows, in their order, as the publish of the
-- release read it: they drive a gallery whose canvas the document is (document 1,
-- 2.6). null: the document does not show the file, or was published before this
-- was kept.
ALTER TABLE release_file ADD COLUMN shown smallint;
CREATE INDEX release_file_shown ON release_file (company_id, release_id, shown) WHERE shown IS NOT NULL;
