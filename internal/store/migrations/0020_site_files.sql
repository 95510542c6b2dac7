-- +goose Up

-- Small text files on the storefront host (document 3, 2.5). A file of a deleted
-- category stays with it, as an orphan, and keeps its name there. Files have no
-- draft.
CREATE TABLE site_file (
    company_id   integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    category_id  integer NOT NULL DEFAULT 0, -- 0: the root of the host
    name         text NOT NULL CHECK (name <> ''),
    body         text NOT NULL DEFAULT '',
    is_published boolean NOT NULL DEFAULT false,
    in_sitemap   boolean NOT NULL DEFAULT false,
    row_version  bigint NOT NULL DEFAULT 1,
    created_by   integer NOT NULL DEFAULT 0,
    updated_by   integer NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    deleted_at   timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX site_file_name ON site_file (company_id, category_id, lower(name)) WHERE deleted_at IS NULL;

-- How the latest build of a file went, as edges write it down.
CREATE TABLE site_file_build (
    company_id   integer NOT NULL,
    file_id      bigint NOT NULL,
    row_version  bigint NOT NULL,
    shop_version bigint NOT NULL,
    state        text NOT NULL CHECK (state IN ('good', 'kept', 'failed')),
    at           timestamptz NOT NULL,
    items        integer NOT NULL,
    bytes        bigint NOT NULL,
    errors       jsonb NOT NULL,
    warnings     jsonb NOT NULL,
    PRIMARY KEY (company_id, file_id),
    FOREIGN KEY (company_id, file_id) REFERENCES site_file ON DELETE CASCADE
);

-- The last good copy of a file. Edges keep nothing of their own: one that
-- starts, or whose build fails, serves what stands here. body is gzip.
CREATE TABLE site_file_copy (
    company_id   integer NOT NULL,
    file_id      bigint NOT NULL,
    row_version  bigint NOT NULL,
    shop_version bigint NOT NULL, -- of the catalogue it was built from
    at           timestamptz NOT NULL,
    items        integer NOT NULL,
    size         bigint NOT NULL, -- of the text
    body         bytea NOT NULL,
    PRIMARY KEY (company_id, file_id),
    FOREIGN KEY (company_id, file_id) REFERENCES site_file ON DELETE CASCADE
);
ALTER TABLE site_file_copy ALTER COLUMN body SET STORAGE EXTERNAL;
