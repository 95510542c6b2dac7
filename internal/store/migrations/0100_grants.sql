-- +goose Up

-- A program that people may let act for them (RFC 7591). Anyone may register one.
CREATE TABLE oauth_client (
    id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name          text NOT NULL,
    redirect_uris text[] NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    used_at       timestamptz -- when a person last let it act for them
);
CREATE INDEX oauth_client_unused ON oauth_client (created_at) WHERE used_at IS NULL;

-- A grant is a key that the client has instead of the person: the same rules end both. Its own
-- hash belongs to no secret; its tokens are in oauth_token.
ALTER TABLE api_key ADD COLUMN client_id uuid REFERENCES oauth_client;
CREATE INDEX api_key_client ON api_key (client_id) WHERE client_id IS NOT NULL;

-- What a person agreed to, until the client exchanges its code. key_id is the grant that it became,
-- so that a second use of the code can end it.
CREATE TABLE oauth_code (
    hash         bytea PRIMARY KEY,
    client_id    uuid NOT NULL REFERENCES oauth_client ON DELETE CASCADE,
    company_id   integer NOT NULL REFERENCES company ON DELETE CASCADE,
    person_id    integer NOT NULL REFERENCES person ON DELETE CASCADE,
    redirect_uri text NOT NULL,
    challenge    text NOT NULL,
    resource     text NOT NULL,
    contour      text NOT NULL CHECK (contour IN ('prod', 'dev')),
    scopes       text[] NOT NULL,
    expires_at   timestamptz NOT NULL,
    used_at      timestamptz,
    key_id       bigint
);
CREATE INDEX oauth_code_expires ON oauth_code (expires_at);
CREATE INDEX oauth_code_client ON oauth_code (client_id);
CREATE INDEX oauth_code_company ON oauth_code (company_id);
CREATE INDEX oauth_code_person ON oauth_code (person_id);

-- The tokens of a grant, by hash. A used refresh token stays, so that its second use is noticed.
CREATE TABLE oauth_token (
    hash       bytea PRIMARY KEY,
    company_id integer NOT NULL,
    key_id     bigint NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('access', 'refresh')),
    resource   text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at    timestamptz,
    FOREIGN KEY (company_id, key_id) REFERENCES api_key ON DELETE CASCADE
);
CREATE INDEX oauth_token_key ON oauth_token (company_id, key_id, kind, created_at DESC);
CREATE INDEX oauth_token_expires ON oauth_token (expires_at);
