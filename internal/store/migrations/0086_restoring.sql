-- +goose Up

-- A backup that contains the customers of a shop says itself who they are. While its rows are
-- written, reviews, messages and leads make no customers beside them.
DROP TRIGGER remark_customer ON remark;
CREATE TRIGGER remark_customer AFTER INSERT ON remark FOR EACH ROW
    WHEN (NEW.person_id IS NOT NULL AND current_setting('vitrine.restoring', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION remark_customer();
DROP TRIGGER message_customer ON order_message;
CREATE TRIGGER message_customer AFTER INSERT ON order_message FOR EACH ROW
    WHEN (NEW.by_buyer AND NEW.text <> '' AND current_setting('vitrine.restoring', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION message_customer();
DROP TRIGGER lead_customer ON form_lead;
CREATE TRIGGER lead_customer AFTER INSERT OR UPDATE OF status ON form_lead FOR EACH ROW
    WHEN (NEW.status <> 'spam' AND NOT NEW.test AND NEW.email <> '' AND current_setting('vitrine.restoring', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION lead_customer();
