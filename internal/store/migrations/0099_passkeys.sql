-- +goose Up

-- A key pair in a device, with which its person signs in.
CREATE TABLE passkey (
    person_id       integer NOT NULL REFERENCES person ON DELETE CASCADE,
    id              bigint GENERATED ALWAYS AS IDENTITY,
    credential_id   bytea NOT NULL,
    public_key      bytea NOT NULL,
    sign_count      bigint NOT NULL, -- 0: the device does not count
    backup_eligible boolean NOT NULL,
    name            text NOT NULL,
    created_at      timestamptz NOT NULL,
    last_used_at    timestamptz,
    PRIMARY KEY (person_id, id)
);
CREATE UNIQUE INDEX passkey_credential ON passkey (credential_id);

-- What a device is asked to sign, by hash; an answer uses it up. person_id is null for a sign-in.
CREATE TABLE passkey_challenge (
    hash       bytea PRIMARY KEY,
    person_id  integer REFERENCES person ON DELETE CASCADE,
    data       json NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenge_person ON passkey_challenge (person_id, expires_at) WHERE person_id IS NOT NULL;
CREATE INDEX passkey_challenge_expired ON passkey_challenge (expires_at);
