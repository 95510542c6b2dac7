-- +goose Up
CREATE TABLE category (
    company_id        integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id                integer GENERATED ALWAYS AS IDENTITY,
    parent_id         integer NOT NULL DEFAULT 0,
    type              text NOT NULL CHECK (type IN ('product', 'page', 'news', 'site')),
    name              text NOT NULL CHECK (name <> ''),
    slug              text NOT NULL,
    description       text NOT NULL DEFAULT '',
    page_template     text NOT NULL DEFAULT '',
    seo               jsonb NOT NULL DEFAULT '{}', -- without slug, which is the column
    sort_order        integer NOT NULL DEFAULT 0,
    is_published      boolean NOT NULL DEFAULT false,
    is_show_menu      boolean NOT NULL DEFAULT true,
    is_home           boolean NOT NULL DEFAULT false,
    preview_id        uuid,
    comments_enabled  text NOT NULL DEFAULT '',
    questions_enabled text NOT NULL DEFAULT '',
    sidebar_config    jsonb NOT NULL DEFAULT '[]',
    created_by        integer NOT NULL DEFAULT 0,
    updated_by        integer NOT NULL DEFAULT 0,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    deleted_at        timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX category_slug ON category (company_id, slug) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX category_home ON category (company_id) WHERE is_home AND deleted_at IS NULL;
CREATE INDEX category_parent ON category (company_id, parent_id, sort_order);

CREATE TABLE product (
    company_id          integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id                  integer GENERATED ALWAYS AS IDENTITY,
    category_id         integer NOT NULL DEFAULT 0,
    kind                text NOT NULL DEFAULT 'standard' CHECK (kind IN ('standard', 'combo', 'multi')),
    name                text NOT NULL CHECK (name <> ''),
    slug                text NOT NULL DEFAULT '',
    description         text NOT NULL DEFAULT '',
    price               bigint NOT NULL DEFAULT 0 CHECK (price BETWEEN 0 AND 2000000000),
    old_price           bigint NOT NULL DEFAULT 0 CHECK (old_price BETWEEN 0 AND 2000000000),
    sku                 text NOT NULL DEFAULT '',
    tags                text[] NOT NULL DEFAULT '{}',
    seo                 jsonb NOT NULL DEFAULT '{}',
    gallery             uuid[] NOT NULL DEFAULT '{}', -- file ids in their order
    preview_id          uuid,
    preview_auto        boolean NOT NULL DEFAULT true,
    is_published        boolean NOT NULL DEFAULT false,
    is_shared           boolean NOT NULL DEFAULT false,
    catalog_hidden      text NOT NULL DEFAULT '',
    comments_enabled    text NOT NULL DEFAULT '',
    questions_enabled   text NOT NULL DEFAULT '',
    stock_quantity      integer,
    stock_low_threshold integer NOT NULL DEFAULT 0,
    ad_mode             text NOT NULL DEFAULT 'include' CHECK (ad_mode IN ('include', 'exclude')),
    rating              double precision NOT NULL DEFAULT 0,
    rating_count        integer NOT NULL DEFAULT 0,
    created_by          integer NOT NULL DEFAULT 0,
    updated_by          integer NOT NULL DEFAULT 0,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now(),
    deleted_at          timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX product_slug ON product (company_id, slug) WHERE deleted_at IS NULL AND slug <> '';
CREATE UNIQUE INDEX product_sku ON product (company_id, sku) WHERE deleted_at IS NULL AND sku <> '';
CREATE INDEX product_category ON product (company_id, category_id, id) WHERE deleted_at IS NULL;
CREATE INDEX product_name ON product USING gin (name gin_trgm_ops);

-- Extra sections a product is listed in, beside its own.
CREATE TABLE product_extra_category (
    company_id  integer NOT NULL,
    category_id integer NOT NULL,
    product_id  integer NOT NULL,
    PRIMARY KEY (company_id, category_id, product_id),
    FOREIGN KEY (company_id, product_id) REFERENCES product ON DELETE CASCADE
);
CREATE INDEX product_extra_category_product ON product_extra_category (company_id, product_id);

CREATE TABLE attribute (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         integer GENERATED ALWAYS AS IDENTITY,
    name       text NOT NULL,
    kind       text NOT NULL DEFAULT 'option' CHECK (kind IN ('option', 'number', 'text')),
    unit       text NOT NULL DEFAULT '',
    filterable boolean NOT NULL DEFAULT true,
    sort_order integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    PRIMARY KEY (company_id, id)
);

CREATE TABLE attribute_option (
    company_id   integer NOT NULL,
    id           integer GENERATED ALWAYS AS IDENTITY,
    attribute_id integer NOT NULL,
    value        text NOT NULL CHECK (value ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
    label        text NOT NULL,
    sort_order   integer NOT NULL DEFAULT 0,
    PRIMARY KEY (company_id, id),
    UNIQUE (company_id, attribute_id, value),
    FOREIGN KEY (company_id, attribute_id) REFERENCES attribute ON DELETE CASCADE
);

CREATE TABLE product_attribute (
    company_id   integer NOT NULL,
    attribute_id integer NOT NULL,
    product_id   integer NOT NULL,
    option_id    integer NOT NULL DEFAULT 0,
    number       double precision,
    text         text NOT NULL DEFAULT '',
    PRIMARY KEY (company_id, attribute_id, product_id, option_id),
    FOREIGN KEY (company_id, attribute_id) REFERENCES attribute ON DELETE CASCADE,
    FOREIGN KEY (company_id, product_id) REFERENCES product ON DELETE CASCADE
);
CREATE INDEX product_attribute_product ON product_attribute (company_id, product_id);

CREATE TABLE variant_set (
    company_id     integer NOT NULL,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    product_id     integer NOT NULL,
    sku            text NOT NULL DEFAULT '',
    title          text NOT NULL DEFAULT '',
    price          bigint,
    image_id       uuid,
    gallery_id     bigint NOT NULL DEFAULT 0,
    options        jsonb NOT NULL DEFAULT '{}',
    stock_quantity integer,
    is_active      boolean NOT NULL DEFAULT true,
    sort_order     integer NOT NULL DEFAULT 0,
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, product_id) REFERENCES product ON DELETE CASCADE
);
CREATE INDEX variant_set_product ON variant_set (company_id, product_id, sort_order);

CREATE TABLE product_group (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    name       text NOT NULL,
    products   integer[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    PRIMARY KEY (company_id, id)
);

CREATE TABLE article (
    company_id   integer NOT NULL REFERENCES company ON DELETE CASCADE,
    id           integer GENERATED ALWAYS AS IDENTITY,
    category_id  integer NOT NULL,
    title        text NOT NULL CHECK (title <> ''),
    slug         text NOT NULL,
    announce     text NOT NULL DEFAULT '',
    cover_id     uuid,
    badge        text NOT NULL DEFAULT '',
    author       jsonb NOT NULL DEFAULT '{"mode": "none"}',
    seo          jsonb NOT NULL DEFAULT '{}',
    related      integer[] NOT NULL DEFAULT '{}',
    is_published boolean NOT NULL DEFAULT false,
    published_at timestamptz,
    views        bigint NOT NULL DEFAULT 0,
    created_by   integer NOT NULL DEFAULT 0,
    updated_by   integer NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    deleted_at   timestamptz,
    PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX article_slug ON article (company_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX article_recent ON article (company_id, category_id, published_at DESC NULLS LAST, id DESC) WHERE deleted_at IS NULL;

-- Old slugs of things that were renamed. entity: 1 category, 2 product, 3 article.
CREATE TABLE slug_journal (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    entity     smallint NOT NULL CHECK (entity IN (1, 2, 3)),
    slug       text NOT NULL,
    entity_id  bigint NOT NULL,
    at         timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, entity, slug)
);
