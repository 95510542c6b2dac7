-- +goose Up

-- The orders through an assistant, newest first, and those of the statistics.
DROP INDEX shop_order_assistant;
CREATE INDEX shop_order_assistant ON shop_order (company_id, ((assistant ->> 'platform_id')::bigint), created_at DESC, id DESC) WHERE assistant IS NOT NULL;
CREATE INDEX shop_order_assistant_day ON shop_order (company_id, day) WHERE assistant IS NOT NULL;
