-- +goose Up

-- What a shop signs its messages to platforms with, sealed. A key that was replaced stays published
-- for a while.
CREATE TABLE assist_key (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         text NOT NULL, -- kid
    sealed     bytea NOT NULL,
    created_at timestamptz NOT NULL,
    until      timestamptz, -- null: it was not replaced
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX assist_key_present ON assist_key (company_id) WHERE until IS NULL;
