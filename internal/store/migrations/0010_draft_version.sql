-- +goose Up

-- How often a shop's draft was written, so that whoever shows the draft knows
-- when to read it anew. It stands apart from the shop's own version: writers of
-- the draft and of the live shop do not wait for one another's row.
CREATE TABLE draft_version (
    company_id integer PRIMARY KEY REFERENCES company ON DELETE CASCADE,
    version    bigint NOT NULL
);
