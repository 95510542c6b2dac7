-- +goose Up

-- The newest migration that a program must know to work with this schema. A migration that
-- takes away what the release before needs replaces it, one release after the program has
-- stopped to need it.
CREATE FUNCTION schema_needs() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 0::bigint';
