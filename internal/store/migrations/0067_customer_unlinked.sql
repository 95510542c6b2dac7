-- +goose Up

-- A customer that the shop added is nobody's account until that person has done something
-- here: the link told shops who has an account elsewhere.
UPDATE customer c SET person_id = 0 WHERE c.email <> '' AND c.person_id <> 0
    AND NOT EXISTS (SELECT FROM shop_order o WHERE o.company_id = c.company_id AND o.person_id = c.person_id)
    AND NOT EXISTS (SELECT FROM remark r WHERE r.company_id = c.company_id AND r.person_id = c.person_id)
    AND NOT EXISTS (SELECT FROM order_message m WHERE m.company_id = c.company_id AND m.person_id = c.person_id);
