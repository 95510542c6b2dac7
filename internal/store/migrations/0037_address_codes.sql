-- +goose Up

-- The code that a letter took to an address, as a keyed hash; email is in lower
-- case. The newest counts, once, for a few tries.
CREATE TABLE address_code (
    email      text PRIMARY KEY,
    hash       bytea NOT NULL,
    tries      smallint NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL
);
CREATE INDEX address_code_expiry ON address_code (expires_at);
