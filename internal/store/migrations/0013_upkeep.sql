-- +goose Up

-- The sweeps look across shops: who refers to an object of the blob store, and
-- which uploads and releases were begun and never finished. The conditions on
-- hashes keep these indexes from queries about one shop, which have their own.
CREATE INDEX blob_sha256 ON blob (sha256) WHERE sha256 <> '';
CREATE INDEX media_file_sha256 ON media_file (sha256) WHERE sha256 <> '' AND deleted_at IS NULL;
CREATE INDEX media_file_original ON media_file (original_sha256) WHERE original_sha256 <> '' AND deleted_at IS NULL;
CREATE INDEX release_file_sha256 ON release_file (sha256) WHERE sha256 <> '';
CREATE INDEX media_file_unfinished ON media_file (created_at) WHERE status <> 'stored';
CREATE INDEX release_file_pending ON release_file (company_id, release_id) WHERE pending;
