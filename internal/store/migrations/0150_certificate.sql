-- +goose Up

-- Certificates of domains (VITRINE_TLS=acme). A domain is proven before it has a certificate and
-- becomes the address of the shop once it has one.
ALTER TABLE company_domain
    ADD COLUMN proven_at  timestamptz,
    ADD COLUMN cert_at    timestamptz NOT NULL DEFAULT now(), -- of the next attempt to get or renew it
    ADD COLUMN cert_until timestamptz,
    ADD COLUMN cert_fault text NOT NULL DEFAULT '';
CREATE INDEX company_domain_cert ON company_domain (cert_at) WHERE active_at IS NOT NULL OR proven_at IS NOT NULL;

-- What certificates are made with: accounts, keys, certificates, challenges. The values are sealed.
CREATE TABLE acme_value (
    key       text COLLATE "C" PRIMARY KEY,
    value     bytea NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT now()
);

-- Work on one thing in acme_value, by one process at a time.
CREATE TABLE acme_lock (
    name   text PRIMARY KEY,
    holder text NOT NULL,
    until  timestamptz NOT NULL
);
