-- fill adds rows lo to hi of every noun to shops first to last. Ids are the
-- numbers of the rows, so shops share them, and the sequences stay where they
-- are. mark stands in every text, and in lower case in slugs, skus and addresses.
-- It lives as long as the connection.
CREATE OR REPLACE FUNCTION pg_temp.fill(mark text, first integer, last integer, lo integer, hi integer, products integer) RETURNS void LANGUAGE plpgsql AS $fill$
DECLARE
    t text;
    cols text;
BEGIN
    CREATE TEMP TABLE IF NOT EXISTS row_of (s integer, n integer) ON COMMIT DROP;
    TRUNCATE row_of;
    INSERT INTO row_of SELECT s, n FROM generate_series(first, last) s, generate_series(lo, hi) n ORDER BY 1, 2;

    INSERT INTO media_file (company_id, id, upload_id, upload_hash, section, file_type, original_name, status, path, sha256, original_sha256, size, mime, width, height)
    SELECT s, md5(s || 'file' || n)::uuid, md5(s || 'upload' || n)::uuid, sha256((s || 'hash' || n)::bytea), 'content', 'image', mark || n || '.webp', 'stored',
        lower(mark) || '/' || n || '.webp', encode(sha256((mark || n)::bytea), 'hex'), encode(sha256((mark || n)::bytea), 'hex'), 1000, 'image/webp', 640, 480 FROM row_of;
    INSERT INTO blob_reservation (company_id, id, sha256, size, until)
    OVERRIDING SYSTEM VALUE SELECT s, n, encode(sha256((mark || n)::bytea), 'hex'), 1, 'infinity' FROM row_of;
    INSERT INTO blob (company_id, sha256, size) SELECT s, encode(sha256((mark || n)::bytea), 'hex'), 1000 FROM row_of;
    INSERT INTO collection (company_id, id, parent_id, name, sort_order)
    OVERRIDING SYSTEM VALUE SELECT s, n, n / 2, mark || ' folder ' || n, n FROM row_of;
    INSERT INTO collection_file (company_id, collection_id, file_id, sort_order) SELECT s, n, md5(s || 'file' || n)::uuid, 1 FROM row_of;

    -- A tree, three sections wide; every third section is a rubric.
    INSERT INTO category (company_id, id, parent_id, type, name, slug, description, sort_order, is_published, is_home)
    OVERRIDING SYSTEM VALUE SELECT s, n, CASE WHEN n > 3 THEN n - 3 ELSE 0 END, CASE n % 3 WHEN 1 THEN 'news' ELSE 'product' END,
        mark || ' section ' || n, lower(mark) || '-section-' || n, mark, n, true, n = 1 FROM row_of;

    INSERT INTO attribute (company_id, id, name, kind, sort_order)
    OVERRIDING SYSTEM VALUE SELECT s, n, mark || ' attribute ' || n, CASE n % 3 WHEN 0 THEN 'number' ELSE 'option' END, n FROM row_of;
    INSERT INTO attribute_option (company_id, id, attribute_id, value, label, sort_order)
    OVERRIDING SYSTEM VALUE SELECT s, n * 4 + o, n, lower(mark) || o, mark || ' option ' || o, o FROM row_of, generate_series(0, 3) o WHERE n % 3 > 0;

    INSERT INTO product (company_id, id, category_id, kind, name, slug, description, price, sku, tags, gallery, is_published, stock_quantity)
    OVERRIDING SYSTEM VALUE
    SELECT s, n, 1 + n % hi, CASE n % 4 WHEN 0 THEN 'multi' ELSE 'standard' END, mark || ' product ' || n, lower(mark) || '-product-' || n, mark || ' words', n * 10,
        lower(mark) || n, ARRAY[mark], ARRAY[md5(s || 'file' || least(n, hi))::uuid], n % 5 > 0, n
    FROM generate_series(first, last) s, generate_series(lo, products) n ORDER BY 1, 2;
    INSERT INTO product_extra_category (company_id, category_id, product_id)
    SELECT company_id, 1 + (id + 1) % hi, id FROM product WHERE company_id BETWEEN first AND last AND id BETWEEN lo AND products;
    INSERT INTO product_attribute (company_id, attribute_id, product_id, option_id, number)
    SELECT p.company_id, a.id, p.id, CASE a.kind WHEN 'option' THEN a.id * 4 + p.id % 4 ELSE 0 END, CASE a.kind WHEN 'number' THEN p.id END
    FROM product p JOIN attribute a ON a.company_id = p.company_id AND a.id <= 3
    WHERE p.company_id BETWEEN first AND last AND p.id BETWEEN lo AND products
    ON CONFLICT DO NOTHING;
    INSERT INTO variant_set (company_id, id, product_id, sku, title, price, gallery_id)
    OVERRIDING SYSTEM VALUE SELECT company_id, id * 2 + v, id, lower(mark) || '-' || id || '-' || v, mark || ' variant', 5, 1 + id % hi
    FROM product, generate_series(0, 1) v WHERE company_id BETWEEN first AND last AND id BETWEEN lo AND products AND kind = 'multi';
    INSERT INTO product_group (company_id, id, name, products)
    OVERRIDING SYSTEM VALUE SELECT s, n, mark || ' group ' || n, ARRAY[n, n + 1] FROM row_of;

    INSERT INTO article (company_id, id, category_id, title, slug, announce, cover_id, related, is_published, published_at)
    OVERRIDING SYSTEM VALUE SELECT s, n, 1, mark || ' article ' || n, lower(mark) || '-article-' || n, mark, md5(s || 'file' || n)::uuid, ARRAY[greatest(n - 1, 1)],
        n % 5 > 0, '2026-01-01'::timestamptz + n * interval '1 hour' FROM row_of;
    INSERT INTO slug_journal (company_id, entity, slug, entity_id) SELECT s, e, lower(mark) || '-old-' || n, n FROM row_of, generate_series(1, 3) e;

    INSERT INTO gallery (company_id, id, name) OVERRIDING SYSTEM VALUE SELECT s, n, mark || ' gallery ' || n FROM row_of;
    INSERT INTO gallery_item (company_id, gallery_id, item_key, kind, file_id, caption, sort_order)
    SELECT s, n, mark || i, 'image', md5(s || 'file' || n)::uuid, mark, i FROM row_of, generate_series(1, 2) i;
    INSERT INTO gallery_link (company_id, owner, owner_id, gallery_id, sort_order) SELECT s, o, n, n, 1 FROM row_of, generate_series(1, 3) o;

    INSERT INTO content_block (company_id, id, name, group_type, sections)
    OVERRIDING SYSTEM VALUE SELECT s, n, mark || ' block ' || n, CASE WHEN n % 2 = 0 THEN 'chrome' ELSE '' END,
        jsonb_build_array(jsonb_build_object('type', 'text', 'payload', jsonb_build_object('v', 2, 'kind', 'text', 'props', jsonb_build_object('text', mark)))) FROM row_of;
    INSERT INTO block_link (company_id, owner, owner_id, block_id, sort_order) SELECT s, o, n, n, 1 FROM row_of, (VALUES (1), (3)) v(o);
    INSERT INTO design_binding (company_id, resource_type, resource_id, slot, group_id) SELECT s, 'category', n, lower(mark), n FROM row_of;

    INSERT INTO document (company_id, id, kind, name, active_release_id) OVERRIDING SYSTEM VALUE SELECT s, n, 'html', mark || ' document ' || n, n FROM row_of;
    INSERT INTO release (company_id, id, document_id, note, was_live, published_at) OVERRIDING SYSTEM VALUE SELECT s, n, n, mark, true, now() FROM row_of;
    INSERT INTO release_file (company_id, release_id, path, sha256, size, mime)
    SELECT s, n, 'index.html', encode(sha256((mark || n)::bytea), 'hex'), 1000, 'text/html' FROM row_of;

    INSERT INTO packed_file (company_id, sha256, coding) SELECT s, encode(sha256((mark || n)::bytea), 'hex'), 'br' FROM row_of;
    INSERT INTO form (company_id, id, name, fields) OVERRIDING SYSTEM VALUE
    SELECT s, n, mark || ' form ' || n, jsonb_build_array(jsonb_build_object('name', 'email', 'label', mark, 'type', 'email', 'required', false, 'options', '[]'::jsonb)) FROM row_of;
    INSERT INTO form_lead (company_id, id, form_id, answers) OVERRIDING SYSTEM VALUE SELECT s, n, n, jsonb_build_object('email', lower(mark) || '@example.com') FROM row_of;

    INSERT INTO redirect_rule (company_id, id, kind, from_path, dup_key, to_target, code, enabled, sort_order, note)
    OVERRIDING SYSTEM VALUE SELECT s, n, 'exact', '/' || lower(mark) || '/' || n, mark || n, '/', 301, true, n, mark FROM row_of;
    INSERT INTO redirect_version (company_id, version, kind, person_id, key_id, target, added, removed, changed, edits)
    SELECT s, 1 + n, 'create', 100000 + s, 0, 0, 1, 0, 0, jsonb_build_array(jsonb_build_object('id', n, 'was', null, 'now', jsonb_build_object('from_path', mark || n))) FROM row_of;
    INSERT INTO move_in (company_id, id, person_id, system, files, created_at) SELECT s, n, 100000 + s, 'shopify', ARRAY[mark], now() FROM row_of;
    INSERT INTO move_in_origin (company_id, system, kind, key, object_id, fields) SELECT s, 'shopify', 'product', lower(mark) || n, n, '{}' FROM row_of;
    INSERT INTO move_in_change (company_id, move_in_id, kind, key, object_id, before, fields) SELECT s, n, 'product', lower(mark) || n, n, jsonb_build_object('name', mark), '{}' FROM row_of;
    INSERT INTO move_in_picture (company_id, id, move_in_id, address, state, due_at)
    OVERRIDING SYSTEM VALUE SELECT s, n, n, 'https://old.test/' || lower(mark) || n, 'failed', now() FROM row_of;
    INSERT INTO move_in_place (company_id, kind, object_id, move_in_id, places) SELECT s, 'product', n, n, '{}' FROM row_of;
    INSERT INTO move_in_use (company_id, picture_id, kind, object_id) SELECT s, n, 'product', n FROM row_of;
    INSERT INTO redirect_miss (company_id, path, hits, last_hit_at) SELECT s, '/' || lower(mark) || '/miss/' || n, n, now() FROM row_of;

    INSERT INTO site_file (company_id, id, category_id, name, body, is_published)
    OVERRIDING SYSTEM VALUE SELECT s, n, CASE WHEN n % 2 = 0 THEN n ELSE 0 END, lower(mark) || n || '.txt', mark, true FROM row_of;
    INSERT INTO site_file_build (company_id, file_id, row_version, shop_version, state, at, items, bytes, errors, warnings)
    SELECT s, n, 1, 1, 'good', now(), 1, 5, '[]', jsonb_build_array(jsonb_build_object('line', 1, 'message', mark, 'code', 'x', 'product_id', '0')) FROM row_of;
    INSERT INTO site_file_copy (company_id, file_id, row_version, shop_version, at, items, size, body) SELECT s, n, 1, 1, now(), 1, 5, mark::bytea FROM row_of;

    INSERT INTO person_address (company_id, person_id, id, name, phone, country, region, city, street, postcode, comment, is_default)
    OVERRIDING SYSTEM VALUE SELECT s, 100000 + s, n, mark, mark, mark, mark, mark, mark, mark, mark, false FROM row_of;
    INSERT INTO remark (company_id, id, kind, product_id, person_id, author, rating, text, pros, cons, status, answer)
    OVERRIDING SYSTEM VALUE SELECT s, n, CASE n % 2 WHEN 0 THEN 'review' ELSE 'question' END, n, 100000 + s, mark, CASE n % 2 WHEN 0 THEN 5 END, mark, mark, mark,
        'approved', mark FROM row_of;
    INSERT INTO access_policy (company_id, id, name, kind, title, text)
        OVERRIDING SYSTEM VALUE SELECT s, n, mark || ' policy', 'password', mark || ' title', mark || ' text' FROM row_of;
    INSERT INTO access_resource (company_id, policy_id, n, type, product_id) SELECT s, n, 1, 'product', n FROM row_of;
    INSERT INTO access_grant (company_id, policy_id, id, label, hash)
        OVERRIDING SYSTEM VALUE SELECT s, n, n, mark || ' label', '\x00' FROM row_of;
    INSERT INTO remark_vote (company_id, remark_id, person_id) SELECT s, n, 100000 + s FROM row_of;
    INSERT INTO wishlist_item (company_id, person_id, product_id) SELECT s, 100000 + s, n FROM row_of;
    INSERT INTO cart (company_id, person_id, promo_code) SELECT s, 100000 + s, upper(mark) FROM row_of ON CONFLICT DO NOTHING;
    INSERT INTO cart_line (company_id, person_id, product_id, key, quantity) SELECT s, 100000 + s, n, mark, 1 FROM row_of;
    INSERT INTO cart_merge (company_id, person_id, merge_id) SELECT s, 100000 + s, mark || n FROM row_of;
    INSERT INTO delivery_option (company_id, id, name) OVERRIDING SYSTEM VALUE SELECT s, n, mark || ' post ' || n FROM row_of;
    INSERT INTO order_counter (company_id, last) SELECT s, 2000 FROM row_of ON CONFLICT DO NOTHING;
    INSERT INTO shop_order (company_id, id, number, person_id, items_total, discount_total, currency, grand_total, contact_name, contact_phone)
    OVERRIDING SYSTEM VALUE SELECT s, n, 1000 + n, 100000 + s, 14, 0, 'EUR', 14, mark, mark FROM row_of;
    INSERT INTO order_line (company_id, order_id, id, product_id, key, name, quantity, unit_price)
    OVERRIDING SYSTEM VALUE SELECT s, n, n, n, 'default', mark, 1, 14 FROM row_of;
    INSERT INTO shipment (company_id, order_id, id, carrier, number, shipped_at) OVERRIDING SYSTEM VALUE SELECT s, n, n, 'dhl', mark || n, now() FROM row_of;
    INSERT INTO shipment_line (company_id, order_id, shipment_id, line_id, quantity) SELECT s, n, n, n, 1 FROM row_of;
    INSERT INTO order_paper (company_id, order_id, kind, number, issued_at, copy) SELECT s, n, 'invoice', mark || n, now(), '{}' FROM row_of;
    INSERT INTO paper_counter (company_id, kind, year, last) SELECT s, 'invoice', 2000 + n, 1 FROM row_of;
    INSERT INTO cart_reminder (company_id, id, cart_id, recipient) OVERRIDING SYSTEM VALUE SELECT s, n, n, convert_to(mark || n, 'UTF8') FROM row_of;
    INSERT INTO reminder_refusal (company_id, recipient) SELECT s, convert_to(mark || n, 'UTF8') FROM row_of;
    INSERT INTO order_history (company_id, order_id, id, kind) OVERRIDING SYSTEM VALUE SELECT s, n, n, 'created' FROM row_of;
    INSERT INTO order_message (company_id, order_id, id, by_buyer, person_id, text)
    OVERRIDING SYSTEM VALUE SELECT s, n, n, true, 100000 + s, mark FROM row_of;
    INSERT INTO payment (company_id, id, order_id, method, provider, status, amount_minor, currency)
    OVERRIDING SYSTEM VALUE SELECT s, n, n, 'manual', 'manual', 'pending', 1400, 'EUR' FROM row_of;
    INSERT INTO stock_movement (company_id, id, product_id, order_id, delta, balance_after, reason, comment)
    OVERRIDING SYSTEM VALUE SELECT s, n, n, n, -1, 5, 'order', mark FROM row_of;

    INSERT INTO promotion (company_id, id, name, kind, code, value)
    OVERRIDING SYSTEM VALUE SELECT s, n, mark || ' coupon ' || n, 'coupon', upper(mark) || n, '{"points": 1000}' FROM row_of;
    INSERT INTO pricing_rule (company_id, id, name, product_ids, tiers)
    OVERRIDING SYSTEM VALUE SELECT s, n, mark || ' price ' || n, ARRAY[n::integer], '[{"from": 3, "points": 1000}]' FROM row_of;
    INSERT INTO personal_code (company_id, code, promotion_id, person_id) SELECT s, upper(mark) || '-' || n, n, 100000 + s FROM row_of;
    INSERT INTO redemption (company_id, order_id, promotion_id, person_id, code, amount) SELECT s, n, n, 100000 + s, upper(mark) || n, 1 FROM row_of;

    INSERT INTO customer (company_id, id, email, name, phone, note, orders, spent, last_order_at)
    OVERRIDING SYSTEM VALUE SELECT s, n, lower(mark) || n || '@example.com', mark || ' customer ' || n, mark, mark, n, n * 10, now() FROM row_of ON CONFLICT DO NOTHING;
    INSERT INTO customer_group (company_id, id, name) OVERRIDING SYSTEM VALUE SELECT s, n, mark || ' group ' || n FROM row_of;
    INSERT INTO customer_member (company_id, group_id, customer_id) SELECT s, n, n FROM row_of;
    INSERT INTO form_file (company_id, id, form_id, lead_id, field, name, mime, size, sha256)
    SELECT s, md5(s || 'paper' || n)::uuid, n, n, 'paper', mark || '.pdf', 'application/pdf', 5, encode(sha256((mark || n)::bytea), 'hex') FROM row_of;
    INSERT INTO sale_day (company_id, day, currency, orders, revenue) SELECT s, '2025-01-01'::date + n, 'EUR', 1, 14 FROM row_of;
    INSERT INTO sale_product (company_id, span, day, currency, product_id, quantity, revenue)
    SELECT s, p, '2025-01-06'::date + 7 * n, 'EUR', n, 1, 14 FROM row_of, (VALUES (1), (7)) v(p);
    INSERT INTO visit_day (company_id, day, visits, page_views, closed) SELECT s, '2025-01-01'::date + n, 1, 2, true FROM row_of;
    INSERT INTO visit_mark (company_id, day, hash) SELECT s, '2025-01-01'::date + n, n FROM row_of;

    INSERT INTO payment_method (company_id, method, title) SELECT DISTINCT s, m, mark FROM row_of, unnest(ARRAY['manual', 'sandbox', 'stripe', 'yookassa']) m ON CONFLICT DO NOTHING;
    INSERT INTO payment_refund (company_id, payment_id, amount_minor, state) SELECT s, n, 1, 'confirmed' FROM row_of;
    INSERT INTO payment_notice (company_id, id, method, ref, body) OVERRIDING SYSTEM VALUE SELECT s, n, 'stripe', mark || n, '{}' FROM row_of;
    INSERT INTO sandbox_payment (company_id, ref, key, payment_id, title, amount_minor, currency, return_url)
    SELECT s, mark || n, mark || n, n, mark, 1, 'EUR', '/' FROM row_of;
    INSERT INTO letter (company_id, id, name, object, order_id, person_id, recipient, subject, text, html, state, due_at)
    OVERRIDING SYSTEM VALUE SELECT s, n, 'order_made_buyer', mark || n, n, 100000 + s, lower(mark) || '@example.com', mark, mark, mark, 'sent', NULL FROM row_of;
    INSERT INTO letter_bounce (company_id, recipient, reason, at) SELECT s, lower(mark) || n || '@example.com', mark, now() FROM row_of;
    INSERT INTO draft_edit (company_id, kind, id, at) SELECT DISTINCT s, 'category', '1', now() FROM row_of ON CONFLICT DO NOTHING;
    INSERT INTO draft_version (company_id, version) SELECT DISTINCT s, 1 FROM row_of ON CONFLICT DO NOTHING;
    INSERT INTO letter_template (company_id, name, subject, text, html) SELECT DISTINCT s, 'low_stock_seller', mark, mark, '' FROM row_of ON CONFLICT DO NOTHING;
    INSERT INTO letter_domain (company_id, domain, selector, sealed, public) SELECT DISTINCT s, lower(mark) || s || '.test', 'vitrine', mark::bytea, mark FROM row_of ON CONFLICT DO NOTHING;

    INSERT INTO event (company_id, id, name, body) OVERRIDING SYSTEM VALUE SELECT s, n, 'product.updated', jsonb_build_object('mark', mark) FROM row_of;
    INSERT INTO event_counter (company_id) SELECT DISTINCT s FROM row_of ON CONFLICT DO NOTHING;
    INSERT INTO webhook (company_id, id, url, host, events, is_active)
    OVERRIDING SYSTEM VALUE SELECT s, s::bigint * 1000000 + n, 'https://' || lower(mark) || '.test/', lower(mark) || '.test', ARRAY['order.paid'], false FROM row_of;
    INSERT INTO webhook_secret (company_id, webhook_id, version, sealed) SELECT s, s::bigint * 1000000 + n, 1, mark::bytea FROM row_of;
    INSERT INTO webhook_delivery (company_id, webhook_id, id, event_id, bulk, secret, state, due_at, delivered_at)
    OVERRIDING SYSTEM VALUE SELECT s, s::bigint * 1000000 + n, n, n, true, 1, 'delivered', NULL, now() FROM row_of;
    INSERT INTO audit_log (company_id, id, at, person_id, method, path, request_id, contour, status)
    OVERRIDING SYSTEM VALUE SELECT s, n, now(), 100000 + s, 'POST', '/' || mark, mark, 'prod', 200 FROM row_of;
    INSERT INTO idempotency_key (company_id, credential, key, fingerprint, attempt, lease_until, expires_at)
    SELECT s, 'c', mark || n, 'f', md5(mark || n)::uuid, now(), now() + interval '1 day' FROM row_of;
    INSERT INTO rate_count (minute, company_id, class, node, calls) SELECT n, s, 1, md5(mark)::uuid, 1 FROM row_of;

    -- In every tenth shop, and in one that is filled alone, everything waits in
    -- the draft with another name.
    FOR t IN SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'draft'::regnamespace AND c.relkind = 'r' LOOP
        SELECT string_agg(quote_ident(attname), ', ') INTO cols FROM pg_attribute
        WHERE attrelid = format('public.%I', t)::regclass AND attnum > 0 AND NOT attisdropped;
        EXECUTE format('INSERT INTO draft.%1$I (%2$s, draft_base) SELECT %2$s, to_jsonb(l) FROM public.%1$I l
            WHERE company_id BETWEEN $1 AND $2 AND ($1 = $2 OR company_id %% 10 = 0) ON CONFLICT DO NOTHING', t, cols) USING first, last;
    END LOOP;
    UPDATE draft.product SET name = name || ' draft' WHERE company_id BETWEEN first AND last AND id BETWEEN lo AND products;
    UPDATE draft.category SET name = name || ' draft' WHERE company_id BETWEEN first AND last AND id BETWEEN lo AND hi;
    UPDATE draft.article SET title = title || ' draft' WHERE company_id BETWEEN first AND last AND id BETWEEN lo AND hi;
    UPDATE draft.content_block SET name = name || ' draft' WHERE company_id BETWEEN first AND last AND id BETWEEN lo AND hi;
    UPDATE draft.document SET name = name || ' draft' WHERE company_id BETWEEN first AND last AND id BETWEEN lo AND hi;
END $fill$;
