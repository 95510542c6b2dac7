package full

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/google/uuid"

	"vitrine/internal/blob"
	"vitrine/internal/store"
)

const (
	manifestName = "backup.json"
	objectsDir   = "objects"
	format       = 1
	maxManifest  = 4 << 20
)

// maxNamed is how many missing objects a manifest and an error name.
const maxNamed = 100

// Manifest is the content of backup.json.
type Manifest struct {
	Format       int                `json:"format"`
	ID           uuid.UUID          `json:"id"` // of this backup
	MadeAt       time.Time          `json:"made_at"`
	Version      string             `json:"version"` // of the program
	Installation store.Installation `json:"installation"`
	Schema       Schema             `json:"schema"`
	PostgreSQL   int                `json:"postgresql"` // major version
	Database     File               `json:"database"`
	Objects      List               `json:"objects"`
	Rows         map[string]int64   `json:"rows"` // by table
}

// Schema says which programs can use the database.
type Schema struct {
	Version int64 `json:"version"`
	Needs   int64 `json:"needs"`
}

// File is a file of the backup.
type File struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// List is the file that lists the objects.
type List struct {
	File
	Count   int   `json:"count"`
	Lacking int   `json:"lacking"` // objects that the bucket did not have, or only damaged
	Lost    []Gap `json:"lost"`    // the first of them
}

// Gap is an object that rows need and the bucket did not have.
type Gap struct {
	SHA256 string `json:"sha256"`
	Why    string `json:"why"`
}

// ErrNoBackup is returned for a folder without a complete backup.
var ErrNoBackup = errors.New("there is no complete backup")

// ErrDamaged is returned for a backup whose files are not as they were written.
var ErrDamaged = errors.New("the backup is damaged")

var fileNames = regexp.MustCompile(`^(database|objects)-[0-9TZ]{16}(-[0-9a-f]{8})?\.(dump|txt)$`)

// Read reads the manifest of a folder.
func Read(dir string) (m Manifest, err error) {
	f, err := os.Open(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%w in %s: it has no %s, which is written last", ErrNoBackup, dir, manifestName)
	}
	if err != nil {
		return m, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil || len(text) > maxManifest {
		return m, fmt.Errorf("%w: %s cannot be read: %v", ErrDamaged, manifestName, err)
	}
	if m.Format != format {
		return m, fmt.Errorf("%s has the format %d; this program reads %d", manifestName, m.Format, format)
	}
	if !fileNames.MatchString(m.Database.Name) || !fileNames.MatchString(m.Objects.Name) || m.ID == uuid.Nil || m.Installation.ID == uuid.Nil {
		return m, fmt.Errorf("%w: %s lacks fields", ErrDamaged, manifestName)
	}
	return m, nil
}

// write makes the manifest that of the folder.
func (m Manifest) write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	part := filepath.Join(dir, manifestName+".part")
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(part, filepath.Join(dir, manifestName))
	}
	return errors.Join(err, flush(dir))
}

// flush makes renames in a folder permanent.
func flush(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// objects opens the objects of a folder.
func objects(dir string) (*blob.Dir, error) { return blob.OpenDir(filepath.Join(dir, objectsDir)) }
