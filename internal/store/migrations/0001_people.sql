-- +goose Up
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE person (
    id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email         text NOT NULL,
    name          text NOT NULL DEFAULT '',
    password_hash text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX person_email ON person (lower(email));

CREATE TABLE session (
    token_hash bytea PRIMARY KEY,
    person_id  integer NOT NULL REFERENCES person ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX session_person ON session (person_id);

-- A shop. version counts every change that a visitor could see; rules_version
-- counts those of the redirect set alone.
CREATE TABLE company (
    id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug          text NOT NULL UNIQUE CHECK (slug ~ '^[a-z][a-z0-9-]{0,62}$'),
    name          text NOT NULL,
    currency      text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    closed        boolean NOT NULL DEFAULT false,
    pin_hash      text NOT NULL DEFAULT '',
    miss_fallback boolean NOT NULL DEFAULT true,
    limits        jsonb NOT NULL DEFAULT '{}',
    version       bigint NOT NULL DEFAULT 1,
    rules_version bigint NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE company_domain (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    domain     text NOT NULL,
    PRIMARY KEY (company_id, domain)
);
CREATE UNIQUE INDEX company_domain_host ON company_domain (domain);

CREATE TABLE member (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    person_id  integer NOT NULL REFERENCES person ON DELETE CASCADE,
    role       text NOT NULL CHECK (role IN ('owner', 'admin', 'editor')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, person_id)
);
CREATE INDEX member_person ON member (person_id);

CREATE TABLE api_key (
    company_id   integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    person_id    integer NOT NULL REFERENCES person ON DELETE CASCADE,
    name         text NOT NULL,
    contour      text NOT NULL CHECK (contour IN ('prod', 'dev')),
    scopes       text[] NOT NULL,
    hash         bytea NOT NULL UNIQUE,
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz,
    last_used_at timestamptz,
    revoked_at   timestamptz,
    PRIMARY KEY (company_id, id)
);

-- What each version of a shop changed: pairs of key kind and id. Readers that
-- hold version n ask for the rows above n, in order.
CREATE TABLE company_change (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    version    bigint NOT NULL,
    kinds      smallint[] NOT NULL,
    ids        bigint[] NOT NULL,
    at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, version)
);

-- Secrets that all processes of one installation share.
CREATE TABLE secret (
    name  text PRIMARY KEY,
    value bytea NOT NULL
);
