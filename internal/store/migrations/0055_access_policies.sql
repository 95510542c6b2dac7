-- +goose Up

-- What is closed to strangers, and what opens it.
CREATE TABLE access_policy (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    name       text NOT NULL CHECK (name <> ''),
    kind       text NOT NULL CHECK (kind IN ('password', 'group', 'customers')),
    group_ids  bigint[] NOT NULL DEFAULT '{}', -- of customers, of kind group
    title      text NOT NULL DEFAULT '', -- of the page that strangers get
    text       text NOT NULL DEFAULT '',
    salt       bytea NOT NULL DEFAULT uuid_send(gen_random_uuid()), -- of the hashes of its passwords
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id)
);

-- What a policy closes, in the order that it was named. Things that were deleted keep
-- their line, since they may be restored.
CREATE TABLE access_resource (
    company_id  integer NOT NULL,
    policy_id   bigint NOT NULL,
    n           integer NOT NULL,
    type        text NOT NULL CHECK (type IN ('category', 'product', 'article', 'site_folder')),
    category_id integer, -- of types category and site_folder
    product_id  integer,
    article_id  integer,
    PRIMARY KEY (company_id, policy_id, n),
    CHECK (num_nonnulls(category_id, product_id, article_id) = 1),
    FOREIGN KEY (company_id, policy_id) REFERENCES access_policy ON DELETE CASCADE,
    FOREIGN KEY (company_id, category_id) REFERENCES category ON DELETE CASCADE,
    FOREIGN KEY (company_id, product_id) REFERENCES product ON DELETE CASCADE,
    FOREIGN KEY (company_id, article_id) REFERENCES article ON DELETE CASCADE
);
CREATE INDEX access_resource_category ON access_resource (company_id, category_id) WHERE category_id IS NOT NULL;
CREATE INDEX access_resource_product ON access_resource (company_id, product_id) WHERE product_id IS NOT NULL;
CREATE INDEX access_resource_article ON access_resource (company_id, article_id) WHERE article_id IS NOT NULL;

-- A password of a policy. All of one policy are hashed with its salt, so that one
-- computation compares an attempt with each of them.
CREATE TABLE access_grant (
    company_id integer NOT NULL,
    policy_id  bigint NOT NULL,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    label      text NOT NULL DEFAULT '',
    hash       bytea NOT NULL,
    expires_at timestamptz,
    uses       integer CHECK (uses > 0), -- entries that it is good for; null: any number
    used       integer NOT NULL DEFAULT 0 CHECK (used <= uses),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, policy_id, id),
    FOREIGN KEY (company_id, policy_id) REFERENCES access_policy ON DELETE CASCADE
);
