-- +goose Up
-- Rows written in a transaction have its time as updated_at; with the same time in the audit log,
-- a refused edit can say who made the one before it.
ALTER TABLE audit_log ADD COLUMN written_at timestamptz;
ALTER TABLE audit_log ALTER COLUMN written_at SET DEFAULT now();
CREATE INDEX audit_log_written ON audit_log (company_id, written_at);
