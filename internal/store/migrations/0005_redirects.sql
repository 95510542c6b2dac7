-- +goose Up
CREATE TABLE redirect_rule (
    company_id    integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    kind          text NOT NULL CHECK (kind IN ('exact', 'pattern', 'prefix')),
    from_path     text NOT NULL,
    dup_key       text NOT NULL, -- hash of kind, comparison key and condition
    to_target     text NOT NULL,
    external      boolean NOT NULL DEFAULT false,
    code          smallint NOT NULL CHECK (code IN (301, 302)),
    enabled       boolean NOT NULL DEFAULT false,
    override_live boolean NOT NULL DEFAULT false,
    drop_query    boolean NOT NULL DEFAULT false,
    query_match   text NOT NULL DEFAULT '',
    sort_order    integer NOT NULL,
    note          text NOT NULL DEFAULT '',
    hits          bigint NOT NULL DEFAULT 0,
    last_hit_at   timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX redirect_rule_key ON redirect_rule (company_id, dup_key);

CREATE TABLE redirect_miss (
    company_id  integer NOT NULL REFERENCES company ON DELETE CASCADE,
    path        text NOT NULL,
    hits        bigint NOT NULL DEFAULT 0,
    last_hit_at timestamptz NOT NULL,
    hidden      boolean NOT NULL DEFAULT false,
    PRIMARY KEY (company_id, path)
);
CREATE INDEX redirect_miss_recent ON redirect_miss (company_id, hidden, last_hit_at DESC);
