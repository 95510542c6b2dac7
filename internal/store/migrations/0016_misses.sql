-- +goose Up

-- On how many days an address was asked for: what comes back is a link that
-- somebody follows, what does not is a robot that invents addresses.
ALTER TABLE redirect_miss ADD COLUMN days integer NOT NULL DEFAULT 1;
