package store_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
	"vitrine/internal/store/media"
	"vitrine/internal/store/storetest"
)

// notUses are the columns that can hold ids of files, or documents, and are no uses of a file of the
// library.
var notUses = map[string]string{
	"media_file.id": "the file", "media_file.upload_id": "an upload", "media_file.replaces": "an upload of the file itself",
	"collection_file.file_id": "a folder of the library", "remark.file_ids": "pictures of buyers", "form_file.id": "files of leads", "payment.key": "a key",
	"payment_refund.key": "a key", "charge.id": "a charge", "idempotency_key.attempt": "an attempt", "event.event_id": "an event", "rate_count.node": "a process",
	"api_key.client_id": "a program", "oauth_code.client_id": "a program", "assistant_client.id": "a program", "assistant_link.client_id": "a program", "job.claim": "a lease",
	"move_in_picture.file_id": "what an import fetched", "shop_move.peer": "an installation", "shop_link_key.peer": "an installation",
}

// Every column that can refer to a file of the library is declared: deleting a file must not
// surprise anybody.
func TestEveryReferenceToAFileIsAUse(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), storetest.URL(t, store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `
		SELECT c.table_name || '.' || c.column_name FROM information_schema.columns c
		JOIN information_schema.columns k ON k.table_schema = 'public' AND k.table_name = c.table_name AND k.column_name = 'company_id'
		WHERE c.table_schema = 'public' AND c.udt_name IN ('uuid', '_uuid') ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(columns) < 8 {
		t.Fatal(columns, err)
	}
	declared := strings.Join(media.UseColumns(), " ") + " "
	for _, column := range columns {
		if !strings.Contains(declared, column+" ") && notUses[column] == "" {
			t.Errorf("%s: neither in places nor in notUses", column)
		}
	}
}
