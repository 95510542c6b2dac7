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

-- draft_shared names the tables that both contours write: what tells of the call
-- itself, the media library, which has no draft, and the releases of documents,
-- whose draft is which of them is active. A migration that adds one replaces it.
CREATE FUNCTION draft_shared() RETURNS text[] LANGUAGE sql IMMUTABLE
RETURN ARRAY['audit_log', 'idempotency_key', 'draft_version', 'media_file', 'gallery', 'gallery_item', 'blob', 'release', 'release_file'];

-- draft_guard puts that trigger on every table but those. It is called after
-- each migration, and changes only what is missing.
-- +goose StatementBegin
CREATE FUNCTION draft_guard() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('draft_guard', 0));
    FOR name IN
        SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> ALL (draft_shared())
        AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'draft_guard')
    LOOP
        EXECUTE format($t$CREATE TRIGGER draft_guard BEFORE INSERT OR UPDATE OR DELETE ON public.%I
            FOR EACH STATEMENT WHEN (current_setting('search_path') LIKE 'dev,%%') EXECUTE FUNCTION draft_refuse()$t$, name);
    END LOOP;
    FOR name IN
        SELECT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE t.tgname = 'draft_guard' AND c.relname = ANY (draft_shared())
    LOOP
        EXECUTE format('DROP TRIGGER draft_guard ON public.%I', name);
    END LOOP;
END $$;
-- +goose StatementEnd
