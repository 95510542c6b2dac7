-- +goose Up

-- The job that fills the shop from a file; NULL for a complete shop. Until the job is done, the shop is
-- hidden: it has no member and no address, and it is deleted when the job fails or begins again.
ALTER TABLE company ADD COLUMN import_job bigint;
CREATE INDEX company_import_job ON company (import_job) WHERE import_job IS NOT NULL;
