-- +goose Up

-- An import from another shop system; its id is that of its job. undo_job is the job that undoes it.
-- fetching: some of its pictures are not settled.
CREATE TABLE move_in (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint NOT NULL,
    person_id  integer NOT NULL, -- who began it
    system     text NOT NULL,
    files      text[] NOT NULL,
    counts     jsonb NOT NULL DEFAULT '[]',
    created_at timestamptz NOT NULL,
    undo_job   bigint,
    undone_at  timestamptz,
    fetching   boolean NOT NULL DEFAULT false,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX move_in_fetching ON move_in (company_id, id) WHERE fetching;

-- Which object of the shop a thing of another system became. fields has a hash of each field as
-- the last import wrote it: a later file changes only those that differ in it.
CREATE TABLE move_in_origin (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    system     text NOT NULL,
    kind       text NOT NULL,
    key        text NOT NULL,
    object_id  bigint NOT NULL,
    fields     jsonb NOT NULL,
    PRIMARY KEY (company_id, system, kind, key)
);

-- What an import did to an object. before: the changed fields as they were, null for an object that
-- the import created; fields: those of the origin before.
CREATE TABLE move_in_change (
    company_id integer NOT NULL,
    move_in_id bigint NOT NULL,
    kind       text NOT NULL,
    key        text NOT NULL,
    object_id  bigint NOT NULL,
    before     jsonb,
    fields     jsonb,
    PRIMARY KEY (company_id, move_in_id, kind, key),
    FOREIGN KEY (company_id, move_in_id) REFERENCES move_in ON DELETE CASCADE
);
CREATE INDEX move_in_change_object ON move_in_change (company_id, kind, object_id, move_in_id);

-- A picture that an import fetches: once, however many objects show it.
CREATE TABLE move_in_picture (
    company_id integer NOT NULL,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    move_in_id bigint NOT NULL,
    address    text NOT NULL,
    state      text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'failed')),
    reason     text NOT NULL DEFAULT '', -- of a failure
    file_id    uuid, -- in the library
    fetched    boolean NOT NULL DEFAULT false, -- by this import; else the library had it
    attempts   smallint NOT NULL DEFAULT 0,
    due_at     timestamptz NOT NULL,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, move_in_id) REFERENCES move_in ON DELETE CASCADE
);
CREATE UNIQUE INDEX move_in_picture_address ON move_in_picture (company_id, move_in_id, md5(address));
CREATE INDEX move_in_picture_known ON move_in_picture (company_id, md5(address)) WHERE state = 'done';
CREATE INDEX move_in_picture_due ON move_in_picture (company_id, due_at, id) WHERE state = 'waiting';

-- Where pictures belong. places: addresses by their place in the object; placed: the gallery that
-- an import wrote last, so that one which the owner has changed since stays.
CREATE TABLE move_in_place (
    company_id integer NOT NULL,
    kind       text NOT NULL,
    object_id  bigint NOT NULL,
    move_in_id bigint NOT NULL,
    places     jsonb NOT NULL,
    placed     jsonb,
    PRIMARY KEY (company_id, kind, object_id),
    FOREIGN KEY (company_id, move_in_id) REFERENCES move_in ON DELETE CASCADE
);
CREATE INDEX move_in_place_import ON move_in_place (company_id, move_in_id);

CREATE TABLE move_in_use (
    company_id integer NOT NULL,
    picture_id bigint NOT NULL,
    kind       text NOT NULL,
    object_id  bigint NOT NULL,
    PRIMARY KEY (company_id, picture_id, kind, object_id),
    FOREIGN KEY (company_id, picture_id) REFERENCES move_in_picture ON DELETE CASCADE,
    FOREIGN KEY (company_id, kind, object_id) REFERENCES move_in_place ON DELETE CASCADE
);
CREATE INDEX move_in_use_object ON move_in_use (company_id, kind, object_id);
