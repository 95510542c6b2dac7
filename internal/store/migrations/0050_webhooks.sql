-- +goose Up

-- event_id names an event outside; seq is given to events that are committed when
-- somebody lists them, so that no transaction waits for a counter of its shop.
ALTER TABLE event
    ADD COLUMN event_id uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN seq bigint; -- null: not listed yet
CREATE UNIQUE INDEX event_seq ON event (company_id, seq) WHERE seq IS NOT NULL;
CREATE INDEX event_unlisted ON event (company_id, id) WHERE seq IS NULL;
CREATE INDEX event_age ON event USING brin (at);

CREATE TABLE event_counter (
    company_id integer PRIMARY KEY REFERENCES company ON DELETE CASCADE,
    last       bigint NOT NULL DEFAULT 0
);

-- A subscription to events. One that is deleted stays with its journal for a while.
CREATE TABLE webhook (
    company_id        integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id                bigint GENERATED ALWAYS AS IDENTITY,
    url               text NOT NULL,
    host              text NOT NULL, -- of url, in lower case
    events            text[] NOT NULL,
    is_active         boolean NOT NULL DEFAULT true,
    secret            integer NOT NULL DEFAULT 1, -- the version that signs
    sequence          bigint NOT NULL DEFAULT 0,  -- of the last delivery that was begun
    room              smallint NOT NULL DEFAULT 8, -- deliveries that may be under way at once
    last_status       integer NOT NULL DEFAULT 0,
    last_error        text NOT NULL DEFAULT '',
    last_delivered_at timestamptz,
    failures          integer NOT NULL DEFAULT 0, -- in a row
    failing_since     timestamptz,
    told_at           timestamptz, -- when the owner was told that it fails
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    deleted_at        timestamptz,
    PRIMARY KEY (company_id, id)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX webhook_id ON webhook (id);

-- What a subscription signs with, sealed. One that was replaced goes on signing for a day.
CREATE TABLE webhook_secret (
    company_id integer NOT NULL,
    webhook_id bigint NOT NULL,
    version    integer NOT NULL,
    sealed     bytea NOT NULL,
    until      timestamptz, -- null: it was not replaced
    PRIMARY KEY (company_id, webhook_id, version),
    FOREIGN KEY (company_id, webhook_id) REFERENCES webhook ON DELETE CASCADE
);

-- The journal: an event on its way to a subscription. Every order writes some lines, so
-- it has no foreign keys and few indexes: lines go with their subscription or their age.
CREATE TABLE webhook_delivery (
    company_id   integer NOT NULL,
    webhook_id   bigint NOT NULL,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    event_id     bigint NOT NULL,
    bulk         boolean NOT NULL, -- others go first
    secret       integer NOT NULL, -- the version that was there when it was queued
    most         smallint NOT NULL DEFAULT 8, -- attempts that it gets
    by_hand      boolean NOT NULL DEFAULT false,
    sequence     bigint, -- null: it was not begun
    state        text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'retrying', 'delivered', 'dead')),
    attempts     smallint NOT NULL DEFAULT 0, -- begun
    due_at       timestamptz DEFAULT '-infinity', -- when it is tried, or tried anew if its sender has died; null: it is over
    log          jsonb NOT NULL DEFAULT '[]', -- how attempts ended
    reason       text NOT NULL DEFAULT '', -- why it is dead
    created_at   timestamptz NOT NULL DEFAULT now(),
    delivered_at timestamptz,
    dead_at      timestamptz,
    PRIMARY KEY (company_id, webhook_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, bulk, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_delivery_dead ON webhook_delivery (company_id, webhook_id, id) WHERE state = 'dead';
CREATE INDEX webhook_delivery_age ON webhook_delivery USING brin (created_at);

-- +goose StatementBegin
CREATE FUNCTION webhook_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM webhook_delivery WHERE company_id = OLD.company_id AND webhook_id = OLD.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER webhook_gone AFTER DELETE ON webhook FOR EACH ROW EXECUTE FUNCTION webhook_gone();

-- The recipients of events are fixed by the statement that records them.
-- +goose StatementBegin
CREATE FUNCTION event_recipients() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO webhook_delivery (company_id, webhook_id, event_id, bulk, secret)
    SELECT e.company_id, w.id, e.id, e.name = 'product.updated', w.secret
    FROM written e JOIN webhook w ON w.company_id = e.company_id AND w.is_active AND w.deleted_at IS NULL AND e.name = ANY (w.events);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER event_recipients AFTER INSERT ON event REFERENCING NEW TABLE AS written
    FOR EACH STATEMENT EXECUTE FUNCTION event_recipients();
