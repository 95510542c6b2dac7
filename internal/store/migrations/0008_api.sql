-- +goose Up

-- One row per Idempotency-Key of one credential. status is 0 while the work goes
-- on, then that of the stored answer. Whoever holds attempt may finish the row,
-- until another takes it over after lease_until: a key of a process that died
-- does not conflict for ever. answer is sealed under the caller's own token.
CREATE TABLE idempotency_key (
    company_id   integer NOT NULL REFERENCES company ON DELETE CASCADE,
    credential   bytea NOT NULL,
    key          text NOT NULL,
    fingerprint  bytea NOT NULL,
    attempt      uuid NOT NULL,
    lease_until  timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    status       smallint NOT NULL DEFAULT 0,
    content_type text NOT NULL DEFAULT '',
    answer       bytea,
    PRIMARY KEY (company_id, credential, key)
);
CREATE INDEX idempotency_key_expiry ON idempotency_key (expires_at); -- swept across shops

-- Who changed what with which key. path is the pattern of the endpoint, entities
-- the values of its segments; bodies and secrets are never kept. person_id and
-- key_id outlive the person and the key.
CREATE TABLE audit_log (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    at         timestamptz NOT NULL,
    person_id  integer NOT NULL,
    key_id     bigint NOT NULL DEFAULT 0, -- 0: by a session
    method     text NOT NULL,
    path       text NOT NULL,
    entities   jsonb NOT NULL DEFAULT '{}',
    request_id text NOT NULL,
    contour    text NOT NULL,
    status     smallint NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX audit_log_age ON audit_log (at); -- swept across shops

-- Calls counted by each process in one minute, for the sum of all of them. What
-- a crash loses is a minute of counts.
CREATE UNLOGGED TABLE rate_count (
    minute     bigint NOT NULL, -- since 1970
    company_id integer NOT NULL,
    class      smallint NOT NULL,
    node       uuid NOT NULL,
    calls      integer NOT NULL,
    PRIMARY KEY (minute, company_id, class, node)
);
