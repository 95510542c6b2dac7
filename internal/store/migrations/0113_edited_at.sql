-- +goose Up
-- When settings, places of blocks, delivery options and roles were edited last.
ALTER TABLE company ADD COLUMN settings_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE delivery_option ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE member ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE design_binding ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
SELECT draft_change('design_binding');
