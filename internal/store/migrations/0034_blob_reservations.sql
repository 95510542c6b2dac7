-- +goose Up

-- Bytes of a shop that no confirmed upload and no release has: on their way into
-- the blob store, or on their way out of it. They count beside those of blob.
-- sha256: '' until the content is known, which is before an object of it appears.
-- spooled: bytes in a temporary file, which the plan does not count. until: when
-- the row is over; the object is removed then unless something else refers to it.
CREATE TABLE blob_reservation (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    sha256     text NOT NULL DEFAULT '' CHECK (sha256 = '' OR sha256 ~ '^[0-9a-f]{64}$'),
    size       bigint NOT NULL CHECK (size >= 0),
    spooled    boolean NOT NULL DEFAULT false,
    until      timestamptz NOT NULL,
    PRIMARY KEY (company_id, id)
);
CREATE INDEX blob_reservation_sha256 ON blob_reservation (sha256) WHERE sha256 <> '';
CREATE INDEX blob_reservation_until ON blob_reservation (until);
SELECT draft_share('blob_reservation');

-- What waits for its confirmation, which is little at any time.
CREATE INDEX media_file_unconfirmed ON media_file (company_id) WHERE status <> 'stored' AND deleted_at IS NULL;
