-- +goose Up

-- When a published product appears; empty: at once, as all have until now.
ALTER TABLE product ADD COLUMN published_at timestamptz;
SELECT draft_change('product');

-- What is dated ahead is looked for at every visit through the API.
CREATE INDEX product_ahead ON product (company_id, published_at) WHERE published_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX article_ahead ON article (company_id, published_at) WHERE published_at IS NOT NULL AND deleted_at IS NULL;

-- The colour of a choice, as #rrggbb; empty: it has none.
ALTER TABLE variant_set ADD COLUMN swatch text NOT NULL DEFAULT '';
SELECT draft_change('variant_set');

-- What a picture shows, for who does not see it; empty: its name on the page says it.
ALTER TABLE media_file ADD COLUMN alt text NOT NULL DEFAULT '';
