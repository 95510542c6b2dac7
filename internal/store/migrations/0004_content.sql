-- +goose Up
CREATE TABLE content_block (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    name       text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
    group_type text NOT NULL DEFAULT '',
    sections   jsonb NOT NULL DEFAULT '[]',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    PRIMARY KEY (company_id, id)
);

-- Blocks attached to a page. owner: 1 category, 3 article, as in slug_journal.
CREATE TABLE block_link (
    company_id integer NOT NULL,
    owner      smallint NOT NULL CHECK (owner IN (1, 3)),
    owner_id   bigint NOT NULL,
    block_id   bigint NOT NULL,
    sort_order integer NOT NULL,
    PRIMARY KEY (company_id, owner, owner_id, block_id),
    FOREIGN KEY (company_id, block_id) REFERENCES content_block
);

CREATE TABLE design_binding (
    company_id    integer NOT NULL REFERENCES company ON DELETE CASCADE,
    resource_type text NOT NULL CHECK (resource_type IN ('shop', 'category', 'category_children', 'product', 'article', 'theme', 'system')),
    resource_id   bigint NOT NULL,
    slot          text NOT NULL,
    group_id      bigint NOT NULL,
    PRIMARY KEY (company_id, resource_type, resource_id, slot),
    FOREIGN KEY (company_id, group_id) REFERENCES content_block
);

-- Whatever has releases: html documents, layout folders, site folders.
CREATE TABLE document (
    company_id        integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id                bigint GENERATED ALWAYS AS IDENTITY,
    kind              text NOT NULL CHECK (kind IN ('html', 'theme', 'folder')),
    owner_id          bigint NOT NULL DEFAULT 0, -- layout block or site category
    name              text NOT NULL CHECK (name <> ''),
    description       text NOT NULL DEFAULT '',
    level             integer NOT NULL DEFAULT 3,
    active_release_id bigint NOT NULL DEFAULT 0,
    created_by        integer NOT NULL DEFAULT 0,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    deleted_at        timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX document_owner ON document (company_id, kind, owner_id) WHERE owner_id <> 0 AND deleted_at IS NULL;

CREATE TABLE release (
    company_id   integer NOT NULL,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    document_id  bigint NOT NULL,
    note         text NOT NULL DEFAULT '',
    was_live     boolean NOT NULL DEFAULT false,
    report       jsonb NOT NULL DEFAULT '{}',
    seo_title    text NOT NULL DEFAULT '',
    seo_text     text NOT NULL DEFAULT '',
    created_by   integer NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL DEFAULT now(),
    published_at timestamptz,
    deleted_at   timestamptz,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, document_id) REFERENCES document ON DELETE CASCADE
);
CREATE INDEX release_document ON release (company_id, document_id, id DESC);

-- The manifest of a release. pending: bytes not yet uploaded, with the hash of
-- the secret in the upload address.
CREATE TABLE release_file (
    company_id  integer NOT NULL,
    release_id  bigint NOT NULL,
    path        text NOT NULL,
    sha256      text NOT NULL,
    size        bigint NOT NULL,
    mime        text NOT NULL,
    pending     boolean NOT NULL DEFAULT false,
    upload_hash bytea,
    PRIMARY KEY (company_id, release_id, path),
    FOREIGN KEY (company_id, release_id) REFERENCES release ON DELETE CASCADE
);
CREATE INDEX release_file_upload ON release_file (upload_hash) WHERE upload_hash IS NOT NULL;

CREATE TABLE event (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    name       text NOT NULL,
    body       jsonb NOT NULL,
    at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id)
);
