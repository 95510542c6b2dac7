-- +goose Up

-- How often and for how long the writes of a shop that moves were refused, over all runs of the move.
ALTER TABLE shop_move ADD COLUMN freezes integer NOT NULL DEFAULT 0, ADD COLUMN frozen_ms bigint NOT NULL DEFAULT 0;

-- +goose StatementBegin
CREATE FUNCTION shop_refuses() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the shop moves' USING ERRCODE = 'VMOVE';
END $$;
-- +goose StatementEnd

-- Whether work on a shop may begin that nobody asked for: not while its last rows are copied, after it
-- has gone, or before it has arrived. Who copies waits for those that were told that they may. The row
-- is read by a statement of its own, which sees what was committed before the lock was taken.
-- +goose StatementBegin
CREATE FUNCTION shop_free(company integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('moving:' || company::text, 0)) THEN
        RETURN false;
    END IF;
    RETURN NOT EXISTS (SELECT FROM public.shop_move WHERE company_id = company);
END $$;
-- +goose StatementEnd

-- A transaction about people changes what they have in all shops, also in those that have gone: these
-- rows are not the shop's any more.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION shop_writes(company integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('moving:' || company::text, 0)) THEN
        PERFORM public.shop_refuses();
    END IF;
    IF current_setting('vitrine.writes', true) IS DISTINCT FROM 'people'
        AND EXISTS (SELECT FROM public.shop_move WHERE company_id = company AND gone) THEN
        PERFORM public.shop_refuses();
    END IF;
END $$;
-- +goose StatementEnd

-- Every write of a row of a shop asks, of whatever release and on whatever path, unless its transaction
-- says that it asks itself before its commit (asks) or that what it writes need not move (beside).
-- The program puts the trigger on every table of a shop after each migration.
-- +goose StatementBegin
CREATE FUNCTION shop_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    company integer := coalesce(NEW.company_id, OLD.company_id);
BEGIN
    IF company IS NOT NULL THEN
        PERFORM public.shop_writes(company);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- The accounts of people belong to no shop; those of the people of a shop move with it. Their changes
-- are refused for as long as the last rows of any shop are copied.
-- +goose StatementBegin
CREATE FUNCTION people_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock_shared(hashtextextended('moving:people', 0)) THEN
        PERFORM public.shop_refuses();
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER people_frozen AFTER UPDATE ON person FOR EACH ROW
    WHEN ((OLD.email, OLD.name, OLD.phone, OLD.language, OLD.password_hash, OLD.proven_at)
        IS DISTINCT FROM (NEW.email, NEW.name, NEW.phone, NEW.language, NEW.password_hash, NEW.proven_at)) EXECUTE FUNCTION people_frozen();
CREATE TRIGGER people_gone AFTER DELETE ON person FOR EACH ROW EXECUTE FUNCTION people_frozen();
CREATE TRIGGER people_frozen AFTER INSERT OR UPDATE OR DELETE ON totp FOR EACH ROW EXECUTE FUNCTION people_frozen();
CREATE TRIGGER people_frozen AFTER INSERT OR UPDATE OR DELETE ON recovery_code FOR EACH ROW EXECUTE FUNCTION people_frozen();
