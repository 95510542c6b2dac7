-- +goose Up

-- What buyers say of a product: reviews with stars, and questions.
CREATE TABLE remark (
    company_id   integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    kind         text NOT NULL CHECK (kind IN ('review', 'question')),
    product_id   integer NOT NULL,
    person_id    integer, -- null: the person is no more
    author       text NOT NULL DEFAULT '', -- the name that is shown
    rating       smallint CHECK ((kind = 'review') = (rating BETWEEN 1 AND 5)),
    text         text NOT NULL DEFAULT '',
    pros         text NOT NULL DEFAULT '',
    cons         text NOT NULL DEFAULT '',
    file_ids     uuid[] NOT NULL DEFAULT '{}',
    verified     boolean NOT NULL DEFAULT false, -- the person bought the product
    status       text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'rejected')),
    answer       text NOT NULL DEFAULT '',
    answered_at  timestamptz,
    helpful      integer NOT NULL DEFAULT 0,
    moderated_by integer,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, product_id) REFERENCES product ON DELETE CASCADE
);
CREATE UNIQUE INDEX remark_once ON remark (company_id, product_id, person_id) WHERE kind = 'review' AND person_id IS NOT NULL;
CREATE INDEX remark_product ON remark (company_id, product_id, kind, status, id);
CREATE INDEX remark_queue ON remark (company_id, kind, status, id);
CREATE INDEX remark_person ON remark (person_id) WHERE person_id IS NOT NULL;

-- Who found a remark helpful.
CREATE TABLE remark_vote (
    company_id integer NOT NULL,
    remark_id  bigint NOT NULL,
    person_id  integer NOT NULL REFERENCES person ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, remark_id, person_id),
    FOREIGN KEY (company_id, remark_id) REFERENCES remark ON DELETE CASCADE
);
CREATE INDEX remark_vote_person ON remark_vote (person_id);
