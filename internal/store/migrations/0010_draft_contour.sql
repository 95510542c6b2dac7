-- +goose Up

-- How often a shop's draft was written, so that whoever shows the draft knows
-- when to read it anew. It stands apart from the shop's own version: writers of
-- the draft and of the live shop do not wait for one another's row.
CREATE TABLE draft_version (
    company_id integer PRIMARY KEY REFERENCES company ON DELETE CASCADE,
    version    bigint NOT NULL
);

-- A statement of the draft contour that would write a live table fails: either
-- the table has a draft, and the statement went around its view, or it has none,
-- and the handler forgot to say that it works on the live shop. Connections of
-- the draft contour are known by their search_path; for all others the trigger
-- costs one comparison a statement.
-- +goose StatementBegin
CREATE FUNCTION draft_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the draft contour may not write to table %', TG_TABLE_NAME;
END $$;
-- +goose StatementEnd

-- draft_share says of a table that both contours write it, for good.
-- +goose StatementBegin
CREATE FUNCTION draft_share(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('COMMENT ON TABLE public.%I IS %L', name, 'both contours write it');
END $$;
-- +goose StatementEnd

-- What tells of the call itself; the media library, which has no draft; and the
-- releases of documents, whose draft is which of them is active.
SELECT draft_share(name) FROM unnest(ARRAY[
    'audit_log', 'idempotency_key', 'draft_version', 'media_file', 'gallery', 'gallery_item', 'blob', 'release', 'release_file']) AS name;

-- draft_guard puts the trigger on every table but those. It is called after each
-- migration, and changes only what is missing.
-- +goose StatementBegin
CREATE FUNCTION draft_guard() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    tab record;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('draft_guard', 0));
    FOR tab IN
        SELECT relname, shared, guarded FROM pg_class c,
            LATERAL (SELECT obj_description(c.oid, 'pg_class') IS NOT DISTINCT FROM 'both contours write it') s(shared),
            LATERAL (SELECT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'draft_guard')) g(guarded)
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND shared = guarded
    LOOP
        IF tab.shared THEN
            EXECUTE format('DROP TRIGGER draft_guard ON public.%I', tab.relname);
        ELSE
            EXECUTE format($t$CREATE TRIGGER draft_guard BEFORE INSERT OR UPDATE OR DELETE ON public.%I
                FOR EACH STATEMENT WHEN (current_setting('search_path') LIKE 'dev,%%') EXECUTE FUNCTION draft_refuse()$t$, tab.relname);
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd
