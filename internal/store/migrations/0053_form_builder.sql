-- +goose Up

-- What a form says on its button and when it was sent (document 3, 4.1).
ALTER TABLE form
    ADD COLUMN submit_text text NOT NULL DEFAULT '',
    ADD COLUMN success jsonb NOT NULL DEFAULT '{"action": "text", "text": "", "url": ""}';

-- Phone numbers have one word.
UPDATE form SET fields = (SELECT coalesce(jsonb_agg(CASE WHEN f->>'type' = 'tel' THEN jsonb_set(f, '{type}', '"phone"') ELSE f END ORDER BY n), '[]')
    FROM jsonb_array_elements(fields) WITH ORDINALITY AS a(f, n))
WHERE fields @> '[{"type": "tel"}]';

-- Where a lead stands. Spam is kept apart: nobody was told of it.
ALTER TABLE form_lead
    ADD COLUMN status text NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'seen', 'done', 'spam')),
    ADD COLUMN why text NOT NULL DEFAULT '', -- it was taken for spam
    ADD COLUMN test boolean NOT NULL DEFAULT false,
    ADD COLUMN told boolean NOT NULL DEFAULT true, -- lead.created was emitted
    ADD COLUMN note text NOT NULL DEFAULT '',
    ADD COLUMN email text NOT NULL DEFAULT '', -- the first e-mail address among the answers, in lower case
    ADD COLUMN consents jsonb NOT NULL DEFAULT '[]', -- the wording that was agreed to, and when
    ADD COLUMN print text NOT NULL DEFAULT '', -- of form and answers: the same again has the same one
    ADD COLUMN token text NOT NULL DEFAULT '', -- that a page sent it with, which is good once
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
UPDATE form_lead l SET updated_at = created_at, email = coalesce((
    SELECT lower(l.answers->>(f->>'name')) FROM form o, jsonb_array_elements(o.fields) WITH ORDINALITY AS a(f, n)
    WHERE o.company_id = l.company_id AND o.id = l.form_id AND f->>'type' = 'email' AND l.answers->>(f->>'name') <> '' ORDER BY n LIMIT 1), '');
CREATE INDEX form_lead_status ON form_lead (company_id, status, id DESC);
CREATE INDEX form_lead_rate ON form_lead (company_id, form_id, created_at) WHERE status <> 'spam' AND NOT test;
CREATE INDEX form_lead_spam ON form_lead (company_id, form_id, id) WHERE status = 'spam';
CREATE INDEX form_lead_print ON form_lead (company_id, print, created_at) WHERE print <> '';
CREATE INDEX form_lead_token ON form_lead (company_id, token) WHERE token <> '';
CREATE INDEX form_lead_email ON form_lead (company_id, email) WHERE email <> '';
CREATE INDEX form_lead_person ON form_lead (email) WHERE email <> '';

-- Files that visitors sent with forms: in quarantine, at no public address. Without
-- a lead yet they wait for one.
CREATE TABLE form_file (
    company_id integer NOT NULL,
    id         uuid NOT NULL,
    form_id    bigint NOT NULL,
    lead_id    bigint,
    field      text NOT NULL,
    name       text NOT NULL CHECK (name <> ''),
    mime       text NOT NULL,
    size       bigint NOT NULL CHECK (size > 0),
    sha256     text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, id),
    FOREIGN KEY (company_id, form_id) REFERENCES form ON DELETE CASCADE,
    FOREIGN KEY (company_id, lead_id) REFERENCES form_lead ON DELETE CASCADE
);
CREATE INDEX form_file_lead ON form_file (company_id, lead_id, id);
CREATE INDEX form_file_waiting ON form_file (company_id, created_at) WHERE lead_id IS NULL;
CREATE INDEX form_file_sha256 ON form_file (sha256);
