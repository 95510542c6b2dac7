-- +goose Up

-- When letters went to an address, by a hash of it, across all shops: what bounds how many
-- letters of one kind a buyer's address gets within an hour and a day.
CREATE TABLE letter_pace (
    recipient bytea NOT NULL,
    kind      text NOT NULL,
    at        timestamptz NOT NULL
);
CREATE INDEX letter_pace_recipient ON letter_pace (recipient, kind, at);
CREATE INDEX letter_pace_age ON letter_pace (at);
