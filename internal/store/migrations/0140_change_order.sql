-- +goose Up

-- The transaction of a change. Processes that follow changes ask for those of transactions that
-- their last snapshot did not see, so that one that commits late is not skipped. Changes from
-- before this migration have none: whoever follows from now on has seen them.
ALTER TABLE company_change ADD COLUMN xid xid8;
ALTER TABLE company_change ALTER COLUMN xid SET DEFAULT pg_current_xact_id();
CREATE INDEX company_change_xid ON company_change (xid) WHERE xid IS NOT NULL;

-- Shops that were removed lately with all their rows, for the same processes.
CREATE TABLE company_gone (
    id  integer PRIMARY KEY,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX company_gone_xid ON company_gone (xid);

-- +goose StatementBegin
CREATE FUNCTION company_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO company_gone (id) VALUES (OLD.id) ON CONFLICT (id) DO UPDATE SET xid = EXCLUDED.xid, at = EXCLUDED.at;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER gone AFTER DELETE ON company FOR EACH ROW EXECUTE FUNCTION company_gone();
