-- +goose Up

ALTER TABLE delivery_option
    ADD COLUMN kind text NOT NULL DEFAULT 'delivery' CHECK (kind IN ('delivery', 'pickup')),
    ADD COLUMN rates jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN points jsonb NOT NULL DEFAULT '[]';
