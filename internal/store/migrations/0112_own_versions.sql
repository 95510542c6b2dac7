-- +goose Up
-- When what a person keeps for themselves was edited last.

-- Sign-ins and calls are recorded without an edit of the person.
ALTER TABLE person ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
-- +goose StatementBegin
CREATE FUNCTION person_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER person_updated BEFORE UPDATE ON person FOR EACH ROW
    WHEN ((OLD.email, OLD.name, OLD.phone, OLD.next_email, OLD.language) IS DISTINCT FROM (NEW.email, NEW.name, NEW.phone, NEW.next_email, NEW.language))
    EXECUTE FUNCTION person_updated();

ALTER TABLE person_address ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE passkey ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();
