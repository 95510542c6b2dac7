-- +goose Up

-- replaces: bytes that were announced to take the place of another file's; the
-- row is gone when they did. revision counts such changes, and stands in the
-- address from the second on: what a cache keeps under an address never changes.
-- prefer_original serves a picture as it was uploaded, not converted.
ALTER TABLE media_file ADD COLUMN replaces uuid,
    ADD COLUMN revision integer NOT NULL DEFAULT 1,
    ADD COLUMN prefer_original boolean NOT NULL DEFAULT false;

-- The folders of the library (document 1, 2.5). A file may lie in several, or in
-- none. parent_id 0 is the top.
CREATE TABLE collection (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    parent_id  bigint NOT NULL DEFAULT 0,
    name       text NOT NULL,
    mode       text NOT NULL DEFAULT 'folder' CHECK (mode = 'folder'),
    sort_order integer NOT NULL,
    created_by integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id)
);

CREATE TABLE collection_file (
    company_id    integer NOT NULL,
    collection_id bigint NOT NULL,
    file_id       uuid NOT NULL,
    sort_order    integer NOT NULL,
    PRIMARY KEY (company_id, collection_id, file_id),
    FOREIGN KEY (company_id, collection_id) REFERENCES collection ON DELETE CASCADE,
    FOREIGN KEY (company_id, file_id) REFERENCES media_file ON DELETE CASCADE
);
CREATE INDEX collection_file_file ON collection_file (company_id, file_id);
