-- +goose Up

-- Work that takes longer than a call. A worker claims a job by a lease; when that is over, because the
-- worker died, another one claims the job again. due_at is when a job may be claimed. company_id is NULL
-- for a job whose shop does not exist yet: it belongs to the person who began it.
CREATE TABLE job (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    company_id  integer REFERENCES company ON DELETE CASCADE,
    person_id   integer NOT NULL,
    kind        text NOT NULL,
    state       text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed')),
    done        bigint NOT NULL DEFAULT 0,
    total       bigint NOT NULL DEFAULT 0,
    input       jsonb NOT NULL DEFAULT '{}',
    result      jsonb,
    error       text NOT NULL DEFAULT '',
    sha256      text NOT NULL DEFAULT '' CHECK (sha256 = '' OR sha256 ~ '^[0-9a-f]{64}$'), -- the file that it has written
    size        bigint NOT NULL DEFAULT 0,
    attempts    smallint NOT NULL DEFAULT 0,
    claim       uuid, -- of the worker that has it
    due_at      timestamptz NOT NULL,
    created_at  timestamptz NOT NULL,
    started_at  timestamptz,
    finished_at timestamptz
);
CREATE INDEX job_due ON job (due_at) WHERE state IN ('queued', 'running');
CREATE INDEX job_company ON job (company_id, kind, id);
CREATE INDEX job_person ON job (person_id, kind, id) WHERE company_id IS NULL;
CREATE INDEX job_created ON job (created_at);
CREATE INDEX job_sha256 ON job (sha256) WHERE sha256 <> '';
