-- +goose Up

ALTER TABLE product ADD COLUMN country_of_origin text NOT NULL DEFAULT '';
SELECT draft_change('product');
