-- +goose Up

-- The tax that an order contains, frozen when it is made: {name, percent, amount}; null for
-- none. Orders made before get what the shop's setting says now, as was shown of them.
ALTER TABLE shop_order ADD COLUMN tax jsonb;
UPDATE shop_order o SET tax = jsonb_build_object('name', c.settings #>> '{tax,name}', 'percent', (c.settings #> '{tax,percent}'),
        'amount', round(o.grand_total * (c.settings #>> '{tax,percent}')::numeric / (100 + (c.settings #>> '{tax,percent}')::numeric)))
    FROM company c WHERE c.id = o.company_id AND (c.settings #>> '{tax,percent}')::numeric > 0;
