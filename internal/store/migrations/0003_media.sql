-- +goose Up

-- The blobs a shop owns. The bytes lie in the blob store under their sha256,
-- which shops share; whether a shop may reuse them is decided here.
CREATE TABLE blob (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    sha256     text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    size       bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, sha256)
);

-- A file of the media library. status: requested, uploaded, stored. path is the
-- public path below /files/, sha256 the bytes served there, original_sha256 the
-- bytes as uploaded. size is that of the bytes served, before that of the upload.
CREATE TABLE media_file (
    company_id      integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id              uuid NOT NULL,
    upload_id       uuid NOT NULL,
    upload_hash     bytea NOT NULL,
    section         text NOT NULL,
    file_type       text NOT NULL,
    original_name   text NOT NULL,
    status          text NOT NULL DEFAULT 'requested' CHECK (status IN ('requested', 'uploaded', 'stored')),
    path            text NOT NULL,
    sha256          text NOT NULL DEFAULT '',
    original_sha256 text NOT NULL DEFAULT '',
    size            bigint NOT NULL DEFAULT 0,
    mime            text NOT NULL DEFAULT '',
    width           integer NOT NULL DEFAULT 0,
    height          integer NOT NULL DEFAULT 0,
    created_by      integer NOT NULL DEFAULT 0,
    created_at      timestamptz NOT NULL DEFAULT now(),
    deleted_at      timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX media_file_upload ON media_file (upload_id);
CREATE UNIQUE INDEX media_file_path ON media_file (company_id, path);
CREATE INDEX media_file_newest ON media_file (company_id, created_at DESC, id) WHERE deleted_at IS NULL AND status = 'stored';

CREATE TABLE gallery (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    name       text NOT NULL,
    source     text NOT NULL DEFAULT 'images' CHECK (source IN ('images', 'canvas')),
    canvas_id  bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    PRIMARY KEY (company_id, id)
);

CREATE TABLE gallery_item (
    company_id integer NOT NULL,
    gallery_id bigint NOT NULL,
    item_key   text NOT NULL,
    kind       text NOT NULL CHECK (kind IN ('image', 'video', 'audio', 'html')),
    file_id    uuid,
    poster_id  uuid,
    html       text NOT NULL DEFAULT '',
    caption    text NOT NULL DEFAULT '',
    sort_order integer NOT NULL,
    PRIMARY KEY (company_id, gallery_id, item_key),
    FOREIGN KEY (company_id, gallery_id) REFERENCES gallery ON DELETE CASCADE
);

-- owner: 1 category, 2 product, 3 article, as in slug_journal.
CREATE TABLE gallery_link (
    company_id integer NOT NULL,
    owner      smallint NOT NULL CHECK (owner IN (1, 2, 3)),
    owner_id   bigint NOT NULL,
    gallery_id bigint NOT NULL,
    sort_order integer NOT NULL,
    PRIMARY KEY (company_id, owner, owner_id, gallery_id),
    FOREIGN KEY (company_id, gallery_id) REFERENCES gallery
);
CREATE INDEX gallery_link_gallery ON gallery_link (company_id, gallery_id);
