-- +goose Up

-- A letter of a shop to a buyer or its owner, queued by what it tells of. It is put
-- into words when it is sent or first looked at, and stays as it was then.
CREATE TABLE letter (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    name       text NOT NULL,
    object     text NOT NULL, -- what it is about, which nothing else has of its name
    round      integer NOT NULL DEFAULT 0, -- how often it was sent again by hand
    order_id   bigint,
    person_id  integer, -- whose it is: it goes when the person goes
    recipient  text NOT NULL,
    facts      jsonb NOT NULL DEFAULT '{}', -- what nobody could look up later
    subject    text, -- null: not put into words yet
    text       text,
    html       text,
    state      text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'sent', 'failed')),
    error      text NOT NULL DEFAULT '', -- why it failed, or was put off
    tries      integer NOT NULL DEFAULT 0,
    due_at     timestamptz DEFAULT now(), -- when it is tried next, or is tried anew if its sender has died; null: it is over
    created_at timestamptz NOT NULL DEFAULT now(),
    sent_at    timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX letter_once ON letter (company_id, name, object, round);
CREATE INDEX letter_name ON letter (company_id, name, id);
CREATE INDEX letter_due ON letter (company_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX letter_person ON letter (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX letter_order ON letter (company_id, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX letter_age ON letter (created_at);

-- The words that a shop has for a letter instead of the platform's.
CREATE TABLE letter_template (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    name       text NOT NULL,
    subject    text NOT NULL,
    text       text NOT NULL,
    html       text NOT NULL,
    error      text NOT NULL DEFAULT '', -- why a letter took the platform's words
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, name)
);

-- The key that letters of a shop's own domain are signed with.
CREATE TABLE letter_domain (
    company_id  integer PRIMARY KEY REFERENCES company ON DELETE CASCADE,
    domain      text NOT NULL,
    selector    text NOT NULL,
    sealed      bytea NOT NULL,
    public      text NOT NULL, -- what the record of the domain has to say
    verified_at timestamptz -- when it said so; null: it did not yet
);

-- Addresses that no letter of a shop reaches: the server said so at once. It may be
-- the shop that it does not like, so others write on.
CREATE TABLE letter_bounce (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    recipient  text NOT NULL, -- in lower case
    reason     text NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (company_id, recipient)
);
CREATE INDEX letter_bounce_recipient ON letter_bounce (recipient);
CREATE INDEX letter_bounce_age ON letter_bounce (at);

-- Letters of the platform go the same way.
ALTER TABLE platform_letter
    ADD COLUMN tries   integer NOT NULL DEFAULT 0,
    ADD COLUMN due_at  timestamptz DEFAULT now(),
    ADD COLUMN sent_at timestamptz,
    ADD COLUMN error   text NOT NULL DEFAULT '';
UPDATE platform_letter SET due_at = NULL;
CREATE INDEX platform_letter_due ON platform_letter (due_at) WHERE due_at IS NOT NULL;

-- Whom letters to the seller go to.
CREATE FUNCTION owner_email(company integer) RETURNS text STABLE LANGUAGE sql RETURN (
    SELECT p.email FROM member m JOIN person p ON p.id = m.person_id
    WHERE m.company_id = company AND m.role = 'owner' AND p.email <> '' ORDER BY m.created_at, m.person_id LIMIT 1);
