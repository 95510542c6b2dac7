-- +goose Up

-- A program that buyers of a shop may link with their account (RFC 7591). Anyone may register one.
-- profile is the address of the assistant's profile, which the program belongs to. signs: it proves
-- with a key of the profile who it is.
CREATE TABLE assistant_client (
    company_id    integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id            uuid NOT NULL DEFAULT gen_random_uuid(),
    profile       text NOT NULL,
    name          text NOT NULL,
    redirect_uris text[] NOT NULL,
    signs         boolean NOT NULL,
    created_at    timestamptz NOT NULL,
    used_at       timestamptz, -- when a buyer last linked it
    PRIMARY KEY (company_id, id)
);
CREATE INDEX assistant_client_unused ON assistant_client (company_id, created_at) WHERE used_at IS NULL;
CREATE INDEX assistant_client_created ON assistant_client (created_at);

-- What a buyer agreed to. Until the program exchanges its code, the link is not granted. The hash of
-- the code stays for a while, so that its second use ends the link.
CREATE TABLE assistant_link (
    company_id      integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id              bigint GENERATED ALWAYS AS IDENTITY,
    client_id       uuid NOT NULL,
    person_id       integer NOT NULL REFERENCES person ON DELETE CASCADE,
    scopes          text[] NOT NULL,
    redirect_uri    text NOT NULL,
    challenge       text NOT NULL,
    code_hash       bytea,
    code_expires_at timestamptz NOT NULL,
    code_used       boolean NOT NULL DEFAULT false,
    created_at      timestamptz NOT NULL,
    granted         boolean NOT NULL DEFAULT false,
    last_used_at    timestamptz, -- to the minute
    expires_at      timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, client_id) REFERENCES assistant_client ON DELETE CASCADE
);
CREATE UNIQUE INDEX assistant_link_code ON assistant_link (company_id, code_hash);
CREATE INDEX assistant_link_client ON assistant_link (company_id, client_id);
CREATE INDEX assistant_link_person ON assistant_link (person_id, company_id);
CREATE INDEX assistant_link_expires ON assistant_link (expires_at);

-- The tokens of a link, by hash. A used refresh token stays, so that its second use is noticed.
CREATE TABLE assistant_token (
    company_id integer NOT NULL,
    hash       bytea NOT NULL,
    link_id    bigint NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('access', 'refresh')),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used       boolean NOT NULL DEFAULT false,
    PRIMARY KEY (company_id, hash),
    FOREIGN KEY (company_id, link_id) REFERENCES assistant_link ON DELETE CASCADE
);
CREATE INDEX assistant_token_link ON assistant_token (company_id, link_id, kind, created_at DESC);
CREATE INDEX assistant_token_expires ON assistant_token (expires_at);
