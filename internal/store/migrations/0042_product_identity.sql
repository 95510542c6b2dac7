-- +goose Up

-- draft_change is draft_shadow for a table that has a draft and was changed: it
-- remembers which columns have none, by their comment.
-- +goose StatementBegin
CREATE FUNCTION draft_change(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM draft_shadow(name, coalesce((SELECT array_agg(attname::text) FROM pg_attribute
        WHERE attrelid = format('public.%I', name)::regclass AND attnum > 0 AND NOT attisdropped
        AND col_description(attrelid, attnum) = 'has no draft'), '{}'));
END $$;
-- +goose StatementEnd
COMMENT ON COLUMN product.stock_quantity IS 'has no draft';
COMMENT ON COLUMN product.stock_low_threshold IS 'has no draft';
COMMENT ON COLUMN product.rating IS 'has no draft';
COMMENT ON COLUMN product.rating_count IS 'has no draft';
COMMENT ON COLUMN product.ad_mode IS 'has no draft';
COMMENT ON COLUMN article.views IS 'has no draft';

-- What the article is in the trade: the number under its bars, and who makes it.
ALTER TABLE product ADD COLUMN gtin text NOT NULL DEFAULT '', ADD COLUMN brand text NOT NULL DEFAULT '';
SELECT draft_change('product');

-- What documents showed that were published before their pictures were noted: by
-- path.
UPDATE release_file f SET shown = o.place FROM (
    SELECT f.company_id, f.release_id, f.path, row_number() OVER (PARTITION BY f.company_id, f.release_id ORDER BY f.path) AS place
    FROM release_file f JOIN release l ON l.company_id = f.company_id AND l.id = f.release_id AND l.was_live
    JOIN document d ON d.company_id = f.company_id AND d.id = l.document_id AND d.kind = 'html'
    WHERE f.mime IN ('image/png', 'image/jpeg', 'image/webp', 'image/avif', 'image/gif') AND NOT f.pending) o
WHERE f.company_id = o.company_id AND f.release_id = o.release_id AND f.path = o.path AND o.place <= 24;
