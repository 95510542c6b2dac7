-- +goose Up

-- A refund waits for its provider (refunding), and a second payment of a paid order
-- counts apart (paid_again). was is what a payment is again when its refund is refused.
ALTER TABLE payment DROP CONSTRAINT payment_status_check;
ALTER TABLE payment ADD CONSTRAINT payment_status_check
    CHECK (status IN ('pending', 'paid', 'failed', 'refunding', 'refunded', 'paid_again'));
ALTER TABLE payment_refund ADD COLUMN was text NOT NULL DEFAULT 'paid' CHECK (was IN ('paid', 'paid_again'));

-- Refunds that a provider had not answered when this was applied.
UPDATE payment p SET status = 'refunding', refunded_at = NULL FROM payment_refund r
    WHERE r.company_id = p.company_id AND r.payment_id = p.id AND r.state = 'created';

-- What the shop tells buyers who pay by hand.
ALTER TABLE payment_method ADD COLUMN instructions text NOT NULL DEFAULT '';
