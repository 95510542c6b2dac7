-- +goose Up
-- An Idempotency-Key belongs to a person or an API key, and to the shop that the call
-- acts in: 0 where it names none, so the column refers to no company any more. credential
-- says whose it is, answer is sealed under the server's key.
ALTER TABLE idempotency_key DROP CONSTRAINT idempotency_key_company_id_fkey;
