-- +goose Up

-- When a visitor first came by the domain. Until then it may not lead here at all, so
-- the shop stays at the address of its slug. Domains of before have been in use.
ALTER TABLE company_domain ADD COLUMN reached_at timestamptz;
UPDATE company_domain SET reached_at = now();
