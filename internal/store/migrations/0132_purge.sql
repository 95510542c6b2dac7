-- +goose Up

-- The caches in front of the edges that are told what has changed, each with the moment up to which
-- it was told (store.Moment; empty: not yet), and the process that tells it.
CREATE TABLE purge_target (
    target       text PRIMARY KEY,
    history      text NOT NULL DEFAULT '',
    lsn          bigint NOT NULL DEFAULT 0,
    snapshot     text NOT NULL DEFAULT '',
    at           timestamptz NOT NULL DEFAULT now(),
    holder       text NOT NULL,
    leased_until timestamptz NOT NULL
);
