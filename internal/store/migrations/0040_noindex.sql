-- +goose Up

-- Whether the text of a page asks search engines to stay away: the start page of
-- a site folder's release, as its publish read it, and a site file, as it was
-- written. Neither is listed in the sitemap.
ALTER TABLE release ADD COLUMN noindex boolean NOT NULL DEFAULT false;
ALTER TABLE site_file ADD COLUMN noindex boolean NOT NULL DEFAULT false;
UPDATE site_file SET noindex = true
WHERE name LIKE '%.html' AND body ~* '<meta[^>]*["'' =]robots["'' ][^>]*["'' =,](noindex|none)["'' ,>]';
