-- +goose Up

-- The worker that looks for carts to remind of reads the shops that have reminders, and of each
-- the carts that are due. Its order is that of this index alone, so the planner does not choose
-- cart_newest, where the carts that were looked at lie between.
CREATE INDEX company_reminds ON company (id)
    WHERE settings -> 'cart_reminder' ->> 'after_hours' IS NOT NULL AND NOT closed AND NOT blocked;
DROP INDEX cart_left;
CREATE INDEX cart_left ON cart (company_id, updated_at, person_id) WHERE remind_at < 'infinity';
