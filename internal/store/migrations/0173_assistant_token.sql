-- +goose Up

-- The token by which a shop knows an assistant of the protocol acp, as a SHA-256, and the secret that
-- signs the webhooks of its orders, sealed. Both are null after the token was revoked; the row stays
-- for the orders.
ALTER TABLE assist_platform ADD COLUMN token_hash bytea, ADD COLUMN sealed bytea;
CREATE UNIQUE INDEX assist_platform_token ON assist_platform (company_id, token_hash) WHERE token_hash IS NOT NULL;
