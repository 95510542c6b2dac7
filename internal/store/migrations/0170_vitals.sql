-- +goose Up

-- What operators watch, measured by one worker for all processes: the queues, the last upkeep.
CREATE TABLE vital (
    name text PRIMARY KEY,
    at   timestamptz NOT NULL,
    body jsonb NOT NULL DEFAULT '{}'
);

-- Work that was given up, which operators count.
CREATE INDEX letter_failed ON letter (created_at) WHERE state = 'failed';
CREATE INDEX platform_letter_failed ON platform_letter (created_at) WHERE due_at IS NULL AND sent_at IS NULL AND error <> '';
CREATE INDEX job_failed ON job (created_at) WHERE state = 'failed';
CREATE INDEX move_in_picture_failed ON move_in_picture (due_at) WHERE state = 'failed';
CREATE INDEX payment_refund_failed ON payment_refund (created_at) WHERE state = 'failed';
