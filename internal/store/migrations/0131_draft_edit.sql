-- +goose Up

-- When a thing was edited in the draft whose own row the draft leaves as it is: its variants, blocks,
-- slots. The views of the draft show it as updated_at, so that of two edits made from one version of
-- the thing the later one is refused. kind is the table of the thing.
CREATE TABLE draft_edit (
    company_id integer NOT NULL REFERENCES company ON DELETE CASCADE,
    kind       text NOT NULL,
    id         text NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (company_id, kind, id)
);
SELECT draft_share('draft_edit');

-- draft_shadow as in migration 0039; new are live_cols, version and the rows of draft_edit.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION draft_shadow(name text, live_only text[] DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $shadow$
DECLARE
    live regclass := format('public.%I', name);
    own text[] := '{draft_gone,draft_base,draft_at,draft_picked}';
    col record;
    idx record;
    cols text;       -- every column
    fresh text;      -- every column of NEW
    shown text;      -- every column as the draft half of the view shows it
    updates text;    -- col = EXCLUDED.col for all that may change
    merges text;     -- col = the draft's value where it differs from the base
    parts text;      -- what a person edits, of a row alias %1$s
    same_key text;   -- the key of %1$s is the key of %2$s
    live_cols text;  -- every column as the live half of the view shows it
    version text;    -- updated_at of the row %1$s; null for a table without versions
    key text;
    checks text := '';
BEGIN
    SELECT string_agg(format('%I', a.attname), ', ' ORDER BY k.n),
           string_agg(format('%%1$s.%1$I = %%2$s.%1$I', a.attname), ' AND ' ORDER BY k.n)
    INTO key, same_key
    FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k(att, n), pg_attribute a
    WHERE i.indrelid = live AND i.indisprimary AND a.attrelid = live AND a.attnum = k.att;

    IF to_regclass(format('draft.%I', name)) IS NULL THEN
        EXECUTE format('CREATE TABLE draft.%1$I (LIKE public.%1$I INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
            draft_gone boolean NOT NULL DEFAULT false, draft_base jsonb, draft_at timestamptz NOT NULL DEFAULT now(),
            draft_picked boolean NOT NULL DEFAULT false,
            PRIMARY KEY (%2$s), FOREIGN KEY (company_id) REFERENCES public.company ON DELETE CASCADE)', name, key);
    ELSE
        FOR col IN
            SELECT a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull, pg_get_expr(d.adbin, d.adrelid) AS preset
            FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE a.attrelid = live AND a.attnum > 0 AND NOT a.attisdropped
            AND NOT EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = format('draft.%I', name)::regclass AND o.attname = a.attname)
        LOOP
            EXECUTE format('ALTER TABLE draft.%I ADD COLUMN %I %s %s %s', name, col.attname, col.type,
                CASE WHEN col.attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || col.preset);
            EXECUTE format('UPDATE draft.%1$I SET draft_base = draft_base || jsonb_build_object(%2$L, %2$I)', name, col.attname);
        END LOOP;
        FOR col IN
            SELECT a.attname FROM pg_attribute a
            WHERE a.attrelid = format('draft.%I', name)::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL (own)
            AND NOT EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = live AND o.attname = a.attname AND NOT o.attisdropped)
        LOOP
            EXECUTE format('ALTER TABLE draft.%I DROP COLUMN %I CASCADE', name, col.attname);
        END LOOP;
    END IF;

    -- The indexes of the live table, none of them unique: tombstones keep their
    -- values, and the trigger looks at the overlay as a whole. What is unique
    -- there has an index of the rows that count, under the same condition: it fits
    -- a look for a value better than any other index, also to a planner that
    -- knows nothing of a table which this very transaction fills.
    FOR idx IN
        SELECT i.indexrelid::regclass::text AS index FROM pg_index i
        WHERE i.indrelid = format('draft.%I', name)::regclass AND NOT i.indisprimary
    LOOP
        EXECUTE 'DROP INDEX ' || idx.index;
    END LOOP;
    FOR idx IN
        SELECT string_agg(format('%I', a.attname), ', ' ORDER BY k.n) AS columns,
            CASE WHEN i.indisunique THEN format('WHERE NOT draft_gone AND (%s)', coalesce(pg_get_expr(i.indpred, i.indrelid), 'true')) END AS condition
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam AND m.amname = 'btree',
            unnest(i.indkey) WITH ORDINALITY AS k(att, n), pg_attribute a
        WHERE i.indrelid = live AND NOT i.indisprimary AND i.indexprs IS NULL AND a.attrelid = live AND a.attnum = k.att
        GROUP BY i.indexrelid
    LOOP
        EXECUTE format('CREATE INDEX ON draft.%I (%s) %s', name, idx.columns, idx.condition);
    END LOOP;

    IF (SELECT count(*) FROM pg_attribute WHERE attrelid = live AND attname IN ('id', 'updated_at') AND NOT attisdropped) = 2 THEN
        version := format('greatest(%%1$s.updated_at, (SELECT e.at FROM public.draft_edit e
            WHERE e.company_id = %%1$s.company_id AND e.kind = %L AND e.id = %%1$s.id::text)) AS updated_at', name);
    END IF;
    SELECT string_agg(format('%I', attname), ', ' ORDER BY attnum),
           string_agg(CASE WHEN attname = 'updated_at' AND version IS NOT NULL THEN format(version, 'l') ELSE format('l.%I', attname) END, ', ' ORDER BY attnum),
           string_agg(format('NEW.%I', attname), ', ' ORDER BY attnum),
           string_agg(CASE WHEN attname = 'updated_at' AND version IS NOT NULL THEN format(version, 'd')
                WHEN attname = ANY (live_only) THEN format('CASE WHEN l.company_id IS NULL THEN d.%1$I ELSE l.%1$I END', attname)
                ELSE format('d.%I', attname) END, ', ' ORDER BY attnum),
           string_agg(format('%1$I = EXCLUDED.%1$I', attname), ', ' ORDER BY attnum),
           string_agg(format('%%1$s.%I', attname), ', ' ORDER BY attnum)
                FILTER (WHERE attname <> ALL (live_only) AND attname NOT IN ('created_at', 'created_by', 'updated_at', 'updated_by')),
           string_agg(CASE WHEN attname IN ('updated_at', 'updated_by') THEN format('%1$I = d.%1$I', attname)
                ELSE format('%1$I = CASE WHEN d.%1$I IS DISTINCT FROM b.%1$I THEN d.%1$I ELSE l.%1$I END', attname) END, ', ' ORDER BY attnum)
                FILTER (WHERE attname <> ALL (live_only) AND attname NOT IN ('company_id', 'id', 'created_at', 'created_by'))
    INTO cols, live_cols, fresh, shown, updates, parts, merges
    FROM pg_attribute WHERE attrelid = live AND attnum > 0 AND NOT attisdropped;

    EXECUTE format('DROP VIEW IF EXISTS dev.%I', name);
    EXECUTE format('CREATE VIEW dev.%1$I AS
        SELECT %2$s FROM public.%1$I l WHERE NOT EXISTS (SELECT FROM draft.%1$I d WHERE %3$s)
        UNION ALL SELECT %4$s FROM draft.%1$I d %5$s WHERE NOT d.draft_gone', name, live_cols, format(same_key, 'd', 'l'), shown,
        CASE WHEN live_only <> '{}' THEN format('LEFT JOIN public.%I l ON %s', name, format(same_key, 'l', 'd')) END);
    FOR col IN
        SELECT a.attname, CASE WHEN a.attidentity <> '' THEN format('nextval(%L)', pg_get_serial_sequence('public.' || quote_ident(name), a.attname))
            ELSE pg_get_expr(d.adbin, d.adrelid) END AS preset
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = live AND a.attnum > 0 AND NOT a.attisdropped AND (a.attidentity <> '' OR a.atthasdef)
    LOOP
        EXECUTE format('ALTER VIEW dev.%I ALTER COLUMN %I SET DEFAULT %s', name, col.attname, col.preset);
    END LOOP;

    -- Unique indexes hold for the overlay; the error names the live index, so
    -- that the writer cannot tell the contours apart. Writers of one shop's draft
    -- come one after the other, so looking first is safe. The halves of the overlay
    -- are looked at one by one, each by the index of the value; that of the whole
    -- view would be planned while the draft is empty, and kept while it grows. A
    -- count is no join: a row with the value has its key looked up, and no more.
    FOR idx IN
        SELECT i.indexrelid::regclass::text AS index, coalesce(pg_get_expr(i.indpred, i.indrelid), 'true') AS condition,
            string_agg(format('o.%1$I = NEW.%1$I', a.attname), ' AND ' ORDER BY k.n) AS equal
        FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k(att, n), pg_attribute a
        WHERE i.indrelid = live AND i.indisunique AND NOT i.indisprimary AND i.indexprs IS NULL AND a.attrelid = live AND a.attnum = k.att
        GROUP BY i.indexrelid, i.indpred, i.indrelid
    LOOP
        checks := checks || format('
            IF EXISTS (SELECT FROM (SELECT NEW.*) n WHERE %1$s) AND (
                EXISTS (SELECT FROM draft.%2$I o WHERE %3$s AND (%1$s) AND NOT o.draft_gone AND NOT (%4$s))
                OR EXISTS (SELECT FROM public.%2$I o WHERE %3$s AND (%1$s) AND NOT (%4$s)
                    AND (SELECT count(*) FROM draft.%2$I d WHERE %7$s) = 0)) THEN
                RAISE unique_violation USING CONSTRAINT = %5$L, MESSAGE = %6$L;
            END IF;', idx.condition, name, idx.equal, format(same_key, 'o', 'NEW'), idx.index, 'the draft has this value already: ' || idx.index,
            format(same_key, 'd', 'o'));
    END LOOP;

    -- Its plans are kept: each looks by a whole key or at a place, whatever the
    -- draft holds.
    EXECUTE format($function$CREATE OR REPLACE FUNCTION draft.write_%1$s() RETURNS trigger LANGUAGE plpgsql SET plan_cache_mode = auto AS $body$
        DECLARE
            base jsonb;
            place tid;
        BEGIN
            IF TG_OP = 'DELETE' THEN
                IF EXISTS (SELECT FROM public.%1$I l WHERE %2$s) THEN
                    INSERT INTO draft.%1$I (%3$s, draft_gone, draft_base) SELECT %3$s, true, to_jsonb(l) FROM public.%1$I l WHERE %2$s
                    ON CONFLICT (%4$s) DO UPDATE SET draft_gone = true, draft_at = now();
                ELSE
                    DELETE FROM draft.%1$I d WHERE %5$s;
                END IF;
                RETURN OLD;
            END IF;
            %6$s
            INSERT INTO draft.%1$I (%3$s, draft_base) VALUES (%7$s, (SELECT to_jsonb(l) FROM public.%1$I l WHERE %8$s))
            ON CONFLICT (%4$s) DO UPDATE SET %9$s, draft_gone = false, draft_at = now()
            RETURNING draft_base, ctid INTO base, place;
            -- Back to what the live row was: nothing waits any more.
            IF base IS NOT NULL THEN
                DELETE FROM draft.%1$I d WHERE d.ctid = place
                AND NOT EXISTS (SELECT FROM jsonb_populate_record(NULL::public.%1$I, base) b WHERE ROW(%10$s) IS DISTINCT FROM ROW(%11$s));
                %12$s
            END IF;
            RETURN NEW;
        END $body$ $function$,
        name, format(same_key, 'l', 'OLD'), cols, key, format(same_key, 'd', 'OLD'), checks, fresh, format(same_key, 'l', 'NEW'),
        updates, format(parts, 'b'), format(parts, 'd'),
        CASE WHEN version IS NOT NULL THEN format('IF FOUND AND TG_OP = ''UPDATE'' AND NEW.updated_at > OLD.updated_at THEN
                    INSERT INTO public.draft_edit (company_id, kind, id, at) VALUES (NEW.company_id, %L, NEW.id::text, NEW.updated_at)
                    ON CONFLICT (company_id, kind, id) DO UPDATE SET at = EXCLUDED.at;
                END IF;', name) END);
    EXECUTE format('CREATE TRIGGER write INSTEAD OF INSERT OR UPDATE OR DELETE ON dev.%1$I FOR EACH ROW EXECUTE FUNCTION draft.write_%1$s()', name);

    -- A field that the draft did not touch keeps what became of it meanwhile.
    EXECUTE format($function$CREATE OR REPLACE FUNCTION draft.publish_%1$s(shop integer) RETURNS void LANGUAGE plpgsql AS $body$
        BEGIN
            DELETE FROM public.%1$I l USING draft.%1$I d WHERE d.company_id = shop AND d.draft_picked AND d.draft_gone AND %2$s;
            %3$s
            INSERT INTO public.%1$I (%4$s) OVERRIDING SYSTEM VALUE
            SELECT %4$s FROM draft.%1$I d WHERE d.company_id = shop AND d.draft_picked AND NOT d.draft_gone
            ON CONFLICT (%5$s) DO NOTHING;
            DELETE FROM draft.%1$I d WHERE d.company_id = shop AND d.draft_picked;
        END $body$ $function$,
        name, format(same_key, 'l', 'd'),
        CASE WHEN merges IS NOT NULL THEN format('UPDATE public.%1$I l SET %2$s
            FROM draft.%1$I d, LATERAL jsonb_populate_record(NULL::public.%1$I, d.draft_base) b
            WHERE d.company_id = shop AND d.draft_picked AND NOT d.draft_gone AND %3$s;', name, merges, format(same_key, 'l', 'd')) END,
        cols, key);
END $shadow$;
-- +goose StatementEnd

SELECT draft_change(name) FROM unnest(ARRAY['category', 'product', 'article', 'gallery', 'content_block', 'document']) AS name;
