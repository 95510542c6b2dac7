-- +goose Up

-- What one search over everything finds by a part of a text: within one shop, and as searches
-- compare it.
CREATE INDEX shop_order_words ON shop_order USING gin (company_id, translate(lower(contact_name || ' ' || contact_email), 'ё', 'е') gin_trgm_ops) WITH (fastupdate = off);
CREATE INDEX customer_words ON customer USING gin (company_id, translate(lower(name || ' ' || email), 'ё', 'е') gin_trgm_ops) WITH (fastupdate = off);
CREATE INDEX customer_phone ON customer (company_id, phone_key(phone));
CREATE INDEX article_words ON article USING gin (company_id, translate(lower(title), 'ё', 'е') gin_trgm_ops) WITH (fastupdate = off);
CREATE INDEX redirect_rule_words ON redirect_rule USING gin (company_id, lower(from_path || ' ' || to_target) gin_trgm_ops) WITH (fastupdate = off);
CREATE INDEX media_file_words ON media_file USING gin (company_id, translate(lower(original_name), 'ё', 'е') gin_trgm_ops) WITH (fastupdate = off);
