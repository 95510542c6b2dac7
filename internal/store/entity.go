package store

// Entity numbers as stored in the tables: the owner of a slug, of galleries and of blocks.
const (
	EntityCategory int16 = 1
	EntityProduct  int16 = 2
	EntityArticle  int16 = 3
)
