-- +goose Up

-- What a write adds to an index of words waited in a list that each search read
-- from end to end, until a vacuum came by: searches took ten times as long after
-- an import, of every shop. It goes into the index at once.
ALTER INDEX product_name SET (fastupdate = off);
ALTER INDEX product_group_products SET (fastupdate = off);
SELECT gin_clean_pending_list('product_name'), gin_clean_pending_list('product_group_products');
