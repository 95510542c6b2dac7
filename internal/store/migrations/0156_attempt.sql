-- +goose Up

-- Attempts at what guards a secret, counted for all processes: until when the attempts of the keys
-- that share a cell are paid for, in microseconds since 1970. A cell is a keyed hash, so a row names
-- nobody, and their number is bounded. free is when the next PIN of a lock may be compared.
CREATE TABLE attempt (
    kind smallint NOT NULL,
    cell integer NOT NULL,
    paid bigint NOT NULL,
    free bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (kind, cell)
);
CREATE INDEX attempt_paid ON attempt (paid); -- swept
