-- +goose Up

-- A link that sets a password anew: hash is of the token in the letter. A person has
-- one at a time.
CREATE TABLE password_reset (
    person_id  integer PRIMARY KEY REFERENCES person ON DELETE CASCADE,
    hash       bytea NOT NULL UNIQUE,
    expires_at timestamptz NOT NULL
);
CREATE INDEX password_reset_expiry ON password_reset (expires_at);

-- The address that a person wants to have; it counts when its code came back.
ALTER TABLE person ADD COLUMN next_email text NOT NULL DEFAULT '';
