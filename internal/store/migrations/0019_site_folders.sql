-- +goose Up

-- The forms in which files of site folders travel, br and gzip, made once for
-- each content (document 3, 4.2). Those of one publish lie one after the other in
-- one object of the blob store. They can be made again, so they are neither on
-- the shop's account nor in its backup. size 0: packing did not make it smaller.
CREATE TABLE packed_file (
    company_id    integer NOT NULL,
    sha256        text NOT NULL,
    coding        text NOT NULL CHECK (coding IN ('br', 'gzip')),
    bundle_sha256 text NOT NULL DEFAULT '',
    start         bigint NOT NULL DEFAULT 0,
    size          bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (company_id, sha256, coding),
    FOREIGN KEY (company_id, sha256) REFERENCES blob ON DELETE CASCADE
);
CREATE INDEX packed_file_bundle ON packed_file (bundle_sha256) WHERE bundle_sha256 <> '';
SELECT draft_share('packed_file');

-- Lead forms and what visitors sent with them (document 3, 4.1 and 4.2).
CREATE TABLE form (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    name       text NOT NULL CHECK (name <> ''),
    fields     jsonb NOT NULL DEFAULT '[]',
    created_by integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE TABLE form_lead (
    company_id integer NOT NULL,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    form_id    bigint NOT NULL,
    answers    jsonb NOT NULL,
    page_url   text NOT NULL DEFAULT '',
    utm        jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, form_id) REFERENCES form ON DELETE CASCADE
);
CREATE INDEX form_lead_form ON form_lead (company_id, form_id, id DESC);
