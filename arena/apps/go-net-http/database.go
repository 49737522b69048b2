// What comes out of a database: TechEmpower's tests by pgx, its pool and its pipelined batches.
package main

import (
	"cmp"
	"context"
	"html/template"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	worldCount = 10000
	countMax   = 500
	selectOne  = "select id, randomnumber from world where id = $1"
)

type world struct {
	ID           int32 `json:"id"`
	RandomNumber int32 `json:"randomNumber"`
}

type fortune struct {
	ID      int32
	Message string
}

var fortunesPage = template.Must(template.New("fortunes").Parse(`<!DOCTYPE html>
<html>
<head><title>Fortunes</title></head>
<body>
<table>
<tr><th>id</th><th>message</th></tr>
{{range .}}<tr><td>{{.ID}}</td><td>{{.Message}}</td></tr>
{{end}}</table>
</body>
</html>
`))

type store struct {
	pool   *pgxpool.Pool
	cached map[int32]world
}

func openStore(where string, connections int) (*store, error) {
	config, err := pgxpool.ParseConfig(where)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(connections)
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	kept := &store{pool: pool, cached: make(map[int32]world, worldCount)}
	rows, err := pool.Query(context.Background(), "select id, randomnumber from world")
	if err != nil {
		return nil, err
	}
	worlds, err := pgx.CollectRows(rows, pgx.RowToStructByPos[world])
	for _, one := range worlds {
		kept.cached[one.ID] = one
	}
	return kept, err
}

func randomID() int32 {
	return rand.Int32N(worldCount) + 1
}

// countOf is 1 for what is no number, and the nearest for what is beyond the bounds.
func countOf(request *http.Request) int {
	count, err := strconv.Atoi(request.URL.Query().Get("count"))
	if err != nil {
		return 1
	}
	return min(max(count, 1), countMax)
}

// answering sends what is returned as JSON, or 500.
func answering[T any](answer func(*http.Request) (T, error)) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		value, err := answer(request)
		if err != nil {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		sendJSON(response, value)
	}
}

func (kept *store) one(request *http.Request) (world, error) {
	var found world
	err := kept.pool.QueryRow(request.Context(), selectOne, randomID()).
		Scan(&found.ID, &found.RandomNumber)
	return found, err
}

// read asks for each by a statement of its own, one after the other on one connection: pgx's batches
// have one Sync behind all of them, which TechEmpower's rules do not take.
func (kept *store) read(ctx context.Context, ids []int32) ([]world, error) {
	connection, err := kept.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	worlds := make([]world, len(ids))
	for i, id := range ids {
		err := connection.QueryRow(ctx, selectOne, id).Scan(&worlds[i].ID, &worlds[i].RandomNumber)
		if err != nil {
			return nil, err
		}
	}
	return worlds, nil
}

func (kept *store) some(request *http.Request) ([]world, error) {
	ids := make([]int32, countOf(request))
	for i := range ids {
		ids[i] = randomID()
	}
	return kept.read(request.Context(), ids)
}

// different gives ids of which no two are alike, sorted: updates lock rows in the same order.
func different(count int) []int32 {
	seen := make(map[int32]struct{}, count)
	ids := make([]int32, 0, count)
	for len(ids) < count {
		id := randomID()
		if _, isThere := seen[id]; !isThere {
			seen[id] = struct{}{}
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (kept *store) update(request *http.Request) ([]world, error) {
	ids := different(countOf(request))
	worlds, err := kept.read(request.Context(), ids)
	if err != nil {
		return nil, err
	}
	numbers := make([]int32, len(worlds))
	for i := range worlds {
		numbers[i] = randomID()
		worlds[i].RandomNumber = numbers[i]
	}
	_, err = kept.pool.Exec(request.Context(), "update world set randomnumber = new.number "+
		"from unnest($1::int[], $2::int[]) as new(id, number) where world.id = new.id", ids, numbers)
	return worlds, err
}

func (kept *store) cachedOnes(request *http.Request) ([]world, error) {
	worlds := make([]world, countOf(request))
	for i := range worlds {
		worlds[i] = kept.cached[randomID()]
	}
	return worlds, nil
}

func (kept *store) fortunes(response http.ResponseWriter, request *http.Request) {
	rows, err := kept.pool.Query(request.Context(), "select id, message from fortune")
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[fortune])
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	found = append(found, fortune{Message: "Additional fortune added at request time."})
	slices.SortFunc(found, func(a, b fortune) int { return cmp.Compare(a.Message, b.Message) })
	response.Header().Set("Content-Type", "text/html; charset=utf-8")
	fortunesPage.Execute(response, found)
}

func addDatabase(mux *http.ServeMux, kept *store) {
	mux.HandleFunc("GET /db", answering(kept.one))
	mux.HandleFunc("GET /queries", answering(kept.some))
	mux.HandleFunc("GET /updates", answering(kept.update))
	mux.HandleFunc("GET /cached-queries", answering(kept.cachedOnes))
	mux.HandleFunc("GET /fortunes", kept.fortunes)
	addItems(mux, kept.pool)
}
