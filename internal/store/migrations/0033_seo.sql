-- +goose Up

-- A page without keywords has an empty list of them. Where null was written, an
-- edit in the draft that changed nothing was taken for one of seo.
UPDATE product SET seo = seo || '{"meta_keywords": []}' WHERE seo -> 'meta_keywords' = 'null';
UPDATE category SET seo = seo || '{"meta_keywords": []}' WHERE seo -> 'meta_keywords' = 'null';
UPDATE article SET seo = seo || '{"meta_keywords": []}' WHERE seo -> 'meta_keywords' = 'null';
-- +goose StatementBegin
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY '{product,category,article}'::text[] LOOP
        EXECUTE format($u$UPDATE draft.%I SET seo = seo || '{"meta_keywords": []}' WHERE seo -> 'meta_keywords' = 'null'$u$, name);
        EXECUTE format($u$UPDATE draft.%I SET draft_base = jsonb_set(draft_base, '{seo,meta_keywords}', '[]')
            WHERE draft_base -> 'seo' -> 'meta_keywords' = 'null'$u$, name);
    END LOOP;
END $$;
-- +goose StatementEnd
