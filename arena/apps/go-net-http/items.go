// The table of items: HttpArena's async-db and crud. Single items are kept for 200 ms.
package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
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

type foundItems struct {
	Items []item `json:"items"`
	Count int    `json:"count"`
}

type listedItems struct {
	Items []item `json:"items"`
	Total int    `json:"total"`
	Page  int    `json:"page"`
	Limit int    `json:"limit"`
}

type newItem struct {
	ID       *int32 `json:"id"`
	Name     string `json:"name"`
	Category string `json:"category"`
	Price    int32  `json:"price"`
	Quantity int32  `json:"quantity"`
}

type itemChange struct {
	ID       int32  `json:"id"`
	Name     string `json:"name"`
	Price    int32  `json:"price"`
	Quantity int32  `json:"quantity"`
}

type keptText struct {
	text  []byte
	until time.Time
}

type items struct {
	pool *pgxpool.Pool
	kept sync.Map // of int32 to keptText
}

func scanItem(row pgx.CollectableRow) (item, error) {
	var one item
	err := row.Scan(&one.ID, &one.Name, &one.Category, &one.Price, &one.Quantity, &one.Active,
		&one.Tags, &one.Rating.Score, &one.Rating.Count)
	return one, err
}

// number is `otherwise` where the request says none.
func number(request *http.Request, name string, otherwise int) int {
	value, err := strconv.Atoi(request.URL.Query().Get(name))
	if err != nil {
		return otherwise
	}
	return value
}

func (all *items) between(request *http.Request) (foundItems, error) {
	limit := min(max(number(request, "limit", itemsMax), 1), itemsMax)
	rows, err := all.pool.Query(request.Context(),
		"select "+itemColumns+" from items where price between $1 and $2 limit $3",
		number(request, "min", 10), number(request, "max", 50), limit)
	if err != nil {
		return foundItems{}, err
	}
	found, err := pgx.CollectRows(rows, scanItem)
	return foundItems{found, len(found)}, err
}

func (all *items) list(request *http.Request) (listedItems, error) {
	limit := min(max(number(request, "limit", 10), 1), itemsMax)
	page := max(number(request, "page", 1), 1)
	category := request.URL.Query().Get("category")
	if category == "" {
		category = "electronics"
	}
	rows, err := all.pool.Query(request.Context(),
		"select "+itemColumns+" from items where category = $1 order by id limit $2 offset $3",
		category, limit, (page-1)*limit)
	if err != nil {
		return listedItems{}, err
	}
	found, err := pgx.CollectRows(rows, scanItem)
	return listedItems{found, len(found), page, limit}, err
}

func sendKept(response http.ResponseWriter, text []byte, how string) {
	response.Header().Set("X-Cache", how)
	response.Header().Set("Content-Type", "application/json")
	response.Write(text)
}

func idOf(response http.ResponseWriter, request *http.Request) (int32, bool) {
	id, err := strconv.ParseInt(request.PathValue("id"), 10, 32)
	if err != nil {
		http.Error(response, "no id", http.StatusBadRequest)
	}
	return int32(id), err == nil
}

func (all *items) read(response http.ResponseWriter, request *http.Request) {
	id, isID := idOf(response, request)
	if !isID {
		return
	}
	if found, isKept := all.kept.Load(id); isKept && time.Now().Before(found.(keptText).until) {
		sendKept(response, found.(keptText).text, "HIT")
		return
	}
	rows, err := all.pool.Query(request.Context(),
		"select "+itemColumns+" from items where id = $1", id)
	var one item
	if err == nil {
		one, err = pgx.CollectExactlyOneRow(rows, scanItem)
	}
	if failed(response, err) {
		return
	}
	text, err := json.Marshal(one)
	if failed(response, err) {
		return
	}
	all.kept.Store(id, keptText{text, time.Now().Add(keptFor)})
	sendKept(response, text, "MISS")
}

func failed(response http.ResponseWriter, err error) bool {
	if errors.Is(err, pgx.ErrNoRows) {
		http.Error(response, "not found", http.StatusNotFound)
	} else if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
	}
	return err != nil
}

func (all *items) add(response http.ResponseWriter, request *http.Request) {
	var added newItem
	err := json.NewDecoder(request.Body).Decode(&added)
	if err != nil || added.ID == nil {
		http.Error(response, "no item", http.StatusBadRequest)
		return
	}
	_, err = all.pool.Exec(request.Context(),
		"insert into items values($1, $2, $3, $4, $5, true, '[]', 0, 0) on conflict (id) do "+
			"update set name = excluded.name, category = excluded.category, "+
			"price = excluded.price, quantity = excluded.quantity",
		*added.ID, added.Name, added.Category, added.Price, added.Quantity)
	all.kept.Delete(*added.ID)
	if failed(response, err) {
		return
	}
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(http.StatusCreated)
	json.NewEncoder(response).Encode(added)
}

func (all *items) change(response http.ResponseWriter, request *http.Request) {
	id, isID := idOf(response, request)
	if !isID {
		return
	}
	var changed itemChange
	if err := json.NewDecoder(request.Body).Decode(&changed); err != nil {
		http.Error(response, "no item", http.StatusBadRequest)
		return
	}
	err := all.pool.QueryRow(request.Context(),
		"update items set name = $2, price = $3, quantity = $4 where id = $1 returning id",
		id, changed.Name, changed.Price, changed.Quantity).Scan(&changed.ID)
	all.kept.Delete(id)
	if !failed(response, err) {
		sendJSON(response, changed)
	}
}

func addItems(mux *http.ServeMux, pool *pgxpool.Pool) {
	all := &items{pool: pool}
	mux.HandleFunc("GET /async-db", answering(all.between))
	mux.HandleFunc("GET /crud/items", answering(all.list))
	mux.HandleFunc("POST /crud/items", all.add)
	mux.HandleFunc("GET /crud/items/{id}", all.read)
	mux.HandleFunc("PUT /crud/items/{id}", all.change)
}
