-- +goose Up

-- A deleted shop keeps its rows and its slug for 30 days, so that its owner can restore it.
ALTER TABLE company ADD COLUMN deleted_at timestamptz;
CREATE INDEX company_deleted ON company (deleted_at) WHERE deleted_at IS NOT NULL;

-- Which networks opened shops, by hash and for a day: their number is limited.
CREATE TABLE shop_opening (
    network   text NOT NULL,
    opened_at timestamptz NOT NULL
);
CREATE INDEX shop_opening_network ON shop_opening (network, opened_at);
CREATE INDEX shop_opening_time ON shop_opening (opened_at);
