-- +goose Up

-- Where a session is used, so that its person can recognize and end it. proven_at is when the
-- person last proved who they are, passkey whether they did so with a passkey.
ALTER TABLE session
    ADD COLUMN id           bigint GENERATED ALWAYS AS IDENTITY,
    ADD COLUMN last_used_at timestamptz,
    ADD COLUMN network      text NOT NULL DEFAULT '',
    ADD COLUMN agent        text NOT NULL DEFAULT '',
    ADD COLUMN proven_at    timestamptz NOT NULL DEFAULT '-infinity',
    ADD COLUMN passkey      boolean NOT NULL DEFAULT false;
CREATE UNIQUE INDEX session_id ON session (person_id, id);

ALTER TABLE person ADD COLUMN language text NOT NULL DEFAULT '';

-- The secret of an authenticator app. used are the steps of 30 seconds whose codes were used, as
-- far as their codes are still accepted.
CREATE TABLE totp (
    person_id    integer PRIMARY KEY REFERENCES person ON DELETE CASCADE,
    sealed       bytea NOT NULL,
    used         bigint[] NOT NULL DEFAULT '{}',
    confirmed_at timestamptz -- null: the app has not shown a right code yet
);

-- Codes to sign in with when the app is lost; a used one is deleted.
CREATE TABLE recovery_code (
    person_id integer NOT NULL REFERENCES totp ON DELETE CASCADE,
    hash      bytea NOT NULL,
    PRIMARY KEY (person_id, hash)
);

-- How a person has arranged a page of the cabinet.
CREATE TABLE person_view (
    person_id  integer NOT NULL REFERENCES person ON DELETE CASCADE,
    page       text NOT NULL,
    value      json NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (person_id, page)
);
