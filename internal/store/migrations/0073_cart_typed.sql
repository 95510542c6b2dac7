-- +goose Up
-- What a buyer has typed at the checkout of this cart, as the API takes it: it is there again
-- when their session has ended and they sign in anew.
ALTER TABLE cart ADD COLUMN typed jsonb NOT NULL DEFAULT '{}';
