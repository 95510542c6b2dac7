-- +goose Up

-- A domain is the shop's address once its DNS has named the shop (active_at). Until then
-- several shops may name it: naming proves nothing. reached_at is no longer read.
ALTER TABLE company_domain
    ADD COLUMN active_at  timestamptz,
    ADD COLUMN asked_at   timestamptz NOT NULL DEFAULT now(), -- when the proof began to be looked for
    ADD COLUMN look_at    timestamptz NOT NULL DEFAULT now(), -- when a worker looks next
    ADD COLUMN looked_at  timestamptz,
    ADD COLUMN seen       text[] NOT NULL DEFAULT '{}',       -- types of the records that were there
    ADD COLUMN fault      text NOT NULL DEFAULT '';           -- why records that were there do not suffice
UPDATE company_domain SET active_at = reached_at;
DROP INDEX company_domain_host;
CREATE UNIQUE INDEX company_domain_active ON company_domain (domain) WHERE active_at IS NOT NULL;
CREATE INDEX company_domain_named ON company_domain (domain);
CREATE INDEX company_domain_look ON company_domain (look_at) WHERE active_at IS NULL;
