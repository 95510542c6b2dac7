-- +goose Up

-- The shop that a person acts for when there are several. It is set by the first
-- membership and moved by the person alone, so that nobody is drawn into another
-- shop by being added to it.
ALTER TABLE person ADD COLUMN main_company_id integer REFERENCES company ON DELETE SET NULL;
CREATE INDEX person_main_company ON person (main_company_id);
UPDATE person p SET main_company_id = (
    SELECT company_id FROM member m WHERE m.person_id = p.id ORDER BY (m.role = 'owner') DESC, m.created_at, m.company_id LIMIT 1);

CREATE INDEX api_key_person ON api_key (company_id, person_id);
CREATE INDEX session_expiry ON session (expires_at); -- swept across people
