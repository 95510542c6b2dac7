-- +goose Up

-- Pictures that buyers add to their reviews lie beside the files of the library, and are none of them.
ALTER TABLE media_file
    ADD COLUMN person_id integer, -- the buyer whose picture it is; null: a file of the library
    ADD COLUMN remark_id bigint;  -- the review that has it; null: it waits for one
ALTER TABLE media_file ADD FOREIGN KEY (company_id, remark_id) REFERENCES remark ON DELETE SET NULL (remark_id);
CREATE INDEX media_file_person ON media_file (person_id) WHERE person_id IS NOT NULL;
CREATE INDEX media_file_loose ON media_file (company_id, created_at) WHERE person_id IS NOT NULL AND remark_id IS NULL;
CREATE INDEX media_file_remark ON media_file (company_id, remark_id) WHERE remark_id IS NOT NULL;

-- How many votes the pages of the shop were last drawn with: they are drawn anew now and then, not at each vote.
ALTER TABLE remark ADD COLUMN helpful_shown integer NOT NULL DEFAULT 0;
UPDATE remark SET helpful_shown = helpful;
CREATE INDEX remark_moved ON remark (company_id, product_id) WHERE helpful <> helpful_shown;
CREATE INDEX remark_rejected ON remark (company_id, updated_at) WHERE status = 'rejected' AND file_ids <> '{}';

-- The votes of a guest outlast the guest.
ALTER TABLE remark_vote DROP CONSTRAINT remark_vote_person_id_fkey;

-- Pages show a first name and an initial.
UPDATE remark SET author = regexp_replace(btrim(author), '^(\S+)\s+(?:.*\s)?(\S)\S*$', '\1 \2.') WHERE author ~ '\S\s+\S';
