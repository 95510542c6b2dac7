-- +goose Up

-- What each version of a shop's redirect set changed, and by whom. A set is put
-- back by undoing its newest versions one by one.
CREATE TABLE redirect_version (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    version    bigint NOT NULL,
    at         timestamptz NOT NULL DEFAULT now(),
    kind       text NOT NULL CHECK (kind IN ('create', 'edit', 'delete', 'order', 'import', 'move', 'rollback')),
    person_id  integer NOT NULL, -- 0: the operator
    key_id     bigint NOT NULL,  -- 0: by a session, or the operator
    target     bigint NOT NULL,  -- the version that a rollback went back to, else 0
    added      integer NOT NULL,
    removed    integer NOT NULL,
    changed    integer NOT NULL,
    edits      jsonb NOT NULL,   -- [{id, was, now}], of a changed rule only the fields that differ
    PRIMARY KEY (company_id, version)
);
