-- +goose Up

-- A row with a platform tells it of its orders; the others are subscriptions to events.
ALTER TABLE webhook ADD COLUMN platform_id bigint;

-- That row, null before the first order, and the address that it has.
ALTER TABLE assist_platform ADD COLUMN webhook_id bigint, ADD COLUMN webhook_to text;
