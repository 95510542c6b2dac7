-- +goose Up

-- When somebody showed that letters to the address of the person reach them; null:
-- never. A role that a person has does not depend on it.
ALTER TABLE person ADD COLUMN proven_at timestamptz;

-- Letters about accounts, which belong to the platform and to no shop. They wait
-- here until what they tell is over.
CREATE TABLE platform_letter (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind       text NOT NULL,
    recipient  text NOT NULL,
    subject    text NOT NULL,
    text       text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX platform_letter_recipient ON platform_letter (lower(recipient), created_at);
CREATE INDEX platform_letter_expiry ON platform_letter (expires_at);

-- A role that waits for the proof of an address: hash is of the code in the letter.
-- An address is invited to a shop once; a new invitation takes the place of the old.
CREATE TABLE invitation (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    email      text NOT NULL,
    role       text NOT NULL CHECK (role IN ('owner', 'admin', 'editor')),
    invited_by integer NOT NULL REFERENCES person ON DELETE CASCADE,
    hash       bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX invitation_email ON invitation (company_id, lower(email));
CREATE INDEX invitation_inviter ON invitation (invited_by); -- people who are removed
CREATE INDEX invitation_expiry ON invitation (expires_at); -- swept across shops

-- Keys that ended long ago are swept.
CREATE INDEX api_key_ended ON api_key (least(revoked_at, expires_at)) WHERE revoked_at IS NOT NULL OR expires_at IS NOT NULL;
