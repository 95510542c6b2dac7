-- +goose Up

-- Galleries have a draft, as the things that show them have: one that live pages
-- show can be edited by a draft key and looked at before it is published. Until
-- now nothing wrote them.
COMMENT ON TABLE gallery IS NULL;
COMMENT ON TABLE gallery_item IS NULL;

-- A canvas document drives one gallery (document 1, section 7).
CREATE UNIQUE INDEX gallery_canvas ON gallery (company_id, canvas_id) WHERE canvas_id <> 0 AND deleted_at IS NULL;

-- Which variant sets show a gallery.
CREATE INDEX variant_set_gallery ON variant_set (company_id, gallery_id) WHERE gallery_id <> 0;

SELECT draft_shadow('gallery');
SELECT draft_shadow('gallery_item');
