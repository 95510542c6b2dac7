-- +goose Up

-- By what processes recognise that they belong to this database: one row. keys are fingerprints of
-- the secret keys, the newest first. marked: the store of files has the id, too.
CREATE TABLE installation (
    only_row       boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    id             uuid NOT NULL,
    keys           text[] NOT NULL,
    storefront_url text NOT NULL,
    admin_url      text NOT NULL,
    marked         boolean NOT NULL DEFAULT false,
    created_at     timestamptz NOT NULL DEFAULT now()
);
