-- +goose Up

-- What a shop says of itself and how it works, beside what has a column of its
-- own. Settings that nobody changed are absent and have their default.
ALTER TABLE company ADD COLUMN settings jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(settings) = 'object');
