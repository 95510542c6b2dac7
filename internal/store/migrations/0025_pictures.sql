-- +goose Up

-- prepared: the content (sha256) whose steps were made, or found impossible to
-- make; a picture whose content is another one waits for it. colour: what stands
-- in its place on a page until it is there, as #rrggbb; empty for none.
ALTER TABLE media_file ADD COLUMN prepared text NOT NULL DEFAULT '',
    ADD COLUMN colour text NOT NULL DEFAULT '' CHECK (colour = '' OR colour ~ '^#[0-9a-f]{6}$');

-- What waits, which is next to nothing at any time.
CREATE INDEX media_file_waiting ON media_file (company_id, created_at, id)
    WHERE status = 'stored' AND file_type = 'image' AND mime <> 'image/svg+xml' AND deleted_at IS NULL AND prepared <> sha256;
