package compile

import "vitrine/internal/shop"

func folderMap(list []Folder) map[shop.CategoryID]Folder {
	m := make(map[shop.CategoryID]Folder, len(list))
	for _, f := range list {
		m[f.Category] = f
	}
	return m
}

// FolderAt reports whether a page is a section of type site, and the release that it serves;
// before the first publish the Release is 0. Resolve answers with such a page for every address
// below it.
func (s *Site) FolderAt(ref PageRef) (Folder, bool) {
	if ref.Entity == 0 || !s.isFolder(ref) {
		return Folder{}, false
	}
	f := s.folders[categoryID(ref.ID)]
	f.Category = categoryID(ref.ID)
	return f, true
}
