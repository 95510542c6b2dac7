-- +goose Up

-- Limits of promotions hold for a buyer, whoever they say they are: orders of one person
-- are those of an e-mail and of a phone too, as these keys compare them. What follows a +
-- in an address is a label of one mailbox. Of a phone the last nine digits count, since
-- what stands before them is written in many ways or not at all; fewer than seven are none.
CREATE FUNCTION email_key(address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT regexp_replace(lower(btrim(address)), '\+[^@]*@', '@')
$$;
CREATE FUNCTION phone_key(phone text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN length(regexp_replace(phone, '[^0-9]', '', 'g')) < 7 THEN '' ELSE right(regexp_replace(phone, '[^0-9]', '', 'g'), 9) END
$$;
CREATE INDEX shop_order_email ON shop_order (company_id, email_key(contact_email)) WHERE contact_email <> '';
CREATE INDEX shop_order_phone ON shop_order (company_id, phone_key(contact_phone));

-- The contact of a checkout that cost more than was shown: from then on the cart shows
-- what it costs this buyer.
ALTER TABLE cart
    ADD COLUMN contact_email text NOT NULL DEFAULT '',
    ADD COLUMN contact_phone text NOT NULL DEFAULT '';
