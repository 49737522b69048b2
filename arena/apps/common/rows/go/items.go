package rows

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	keptFor     = 200 * time.Millisecond
	itemsMax    = 50
	itemColumns = "id, name, category, price, quantity, active, tags, rating_score, rating_count"
)

type rating struct {
	Score int32 `json:"score"`
	Count int32 `json:"count"`
}

type item struct {
	ID       int32    `json:"id"`
	Name     string   `json:"name"`
	Category string   `json:"category"`
	Price    int32    `json:"price"`
	Quantity int32    `json:"quantity"`
	Active   bool     `json:"active"`
	Tags     []string `json:"tags"`
	Rating   rating   `json:"rating"`
}

// FoundItems is the answer of /async-db.
type FoundItems struct {
	Items []item `json:"items"`
	Count int    `json:"count"`
}

// ListedItems is a page of a category.
type ListedItems struct {
	Items []item `json:"items"`
	Total int    `json:"total"`
	Page  int    `json:"page"`
	Limit int    `json:"limit"`
}

// NewItem is what is added; without an ID it is none.
type NewItem struct {
	ID       *int32 `json:"id"`
	Name     string `json:"name"`
	Category string `json:"category"`
	Price    int32  `json:"price"`
	Quantity int32  `json:"quantity"`
}

// ItemChange is what a change says, and what is answered.
type ItemChange struct {
	ID       int32  `json:"id"`
	Name     string `json:"name"`
	Price    int32  `json:"price"`
	Quantity int32  `json:"quantity"`
}

type keptText struct {
	text  []byte
	until time.Time
}

func scanItem(row pgx.CollectableRow) (item, error) {
	var one item
	err := row.Scan(&one.ID, &one.Name, &one.Category, &one.Price, &one.Quantity, &one.Active,
		&one.Tags, &one.Rating.Score, &one.Rating.Count)
	return one, err
}

// number is `otherwise` where the text says none.
func number(text string, otherwise int) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		return otherwise
	}
	return value
}

func limited(text string, otherwise int) int {
	return min(max(number(text, otherwise), 1), itemsMax)
}

// IsNone is true of the error where there is no such item.
func IsNone(err error) bool {
	return errors.Is(err, pgx.ErrNoRows)
}

// Between are items of a range of prices; said: what the request says of a name, or "".
func (store *Store) Between(ctx context.Context, said func(string) string) (FoundItems, error) {
	rows, err := store.pool.Query(ctx,
		"select "+itemColumns+" from items where price between $1 and $2 limit $3",
		number(said("min"), 10), number(said("max"), 50), limited(said("limit"), itemsMax))
	if err != nil {
		return FoundItems{}, err
	}
	found, err := pgx.CollectRows(rows, scanItem)
	return FoundItems{found, len(found)}, err
}

// List is a page of a category.
func (store *Store) List(ctx context.Context, said func(string) string) (ListedItems, error) {
	limit, page := limited(said("limit"), 10), max(number(said("page"), 1), 1)
	category := said("category")
	if category == "" {
		category = "electronics"
	}
	rows, err := store.pool.Query(ctx,
		"select "+itemColumns+" from items where category = $1 order by id limit $2 offset $3",
		category, limit, (page-1)*limit)
	if err != nil {
		return ListedItems{}, err
	}
	found, err := pgx.CollectRows(rows, scanItem)
	return ListedItems{found, len(found), page, limit}, err
}

// Item is a single one as JSON, and what X-Cache says of it: it is kept for 200 ms.
func (store *Store) Item(ctx context.Context, id int32) (text []byte, how string, err error) {
	if found, isKept := store.kept.Load(id); isKept && time.Now().Before(found.(keptText).until) {
		return found.(keptText).text, "HIT", nil
	}
	rows, err := store.pool.Query(ctx, "select "+itemColumns+" from items where id = $1", id)
	if err != nil {
		return nil, "", err
	}
	one, err := pgx.CollectExactlyOneRow(rows, scanItem)
	if err != nil {
		return nil, "", err
	}
	if text, err = json.Marshal(one); err != nil {
		return nil, "", err
	}
	store.kept.Store(id, keptText{text, time.Now().Add(keptFor)})
	return text, "MISS", nil
}

// Add stores a new item, or what it says of one that is there.
func (store *Store) Add(ctx context.Context, added NewItem) error {
	_, err := store.pool.Exec(ctx,
		"insert into items values($1, $2, $3, $4, $5, true, '[]', 0, 0) on conflict (id) do "+
			"update set name = excluded.name, category = excluded.category, "+
			"price = excluded.price, quantity = excluded.quantity",
		*added.ID, added.Name, added.Category, added.Price, added.Quantity)
	store.kept.Delete(*added.ID)
	return err
}

// Change stores what is wanted of an item.
func (store *Store) Change(ctx context.Context, id int32, wanted ItemChange) (ItemChange, error) {
	err := store.pool.QueryRow(ctx,
		"update items set name = $2, price = $3, quantity = $4 where id = $1 returning id",
		id, wanted.Name, wanted.Price, wanted.Quantity).Scan(&wanted.ID)
	store.kept.Delete(id)
	return wanted, err
}
