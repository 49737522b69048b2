// Package rows is what comes out of a database, by pgx and its pool: TechEmpower's tests, and
// HttpArena's async-db and crud. It must not know how a request is read, nor how it is answered.
package rows

import (
	"cmp"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	worldCount = 10000
	countMax   = 500
	selectOne  = "select id, randomnumber from world where id = $1"
)

// World is a row of the table world.
type World struct {
	ID           int32 `json:"id"`
	RandomNumber int32 `json:"randomNumber"`
}

// Fortune is a row of the table fortune.
type Fortune struct {
	ID      int32
	Message string
}

// Store asks the database, and keeps what may be kept.
type Store struct {
	pool   *pgxpool.Pool
	cached map[int32]World
	kept   sync.Map // of int32 to keptText
}

// Open connects, and reads what /cached-queries answers.
func Open(where string, connections int) (*Store, error) {
	config, err := pgxpool.ParseConfig(where)
	if err != nil {
		return nil, err
	}
	config.MaxConns = int32(connections)
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	store := &Store{pool: pool, cached: make(map[int32]World, worldCount)}
	rows, err := pool.Query(context.Background(), "select id, randomnumber from world")
	if err != nil {
		return nil, err
	}
	worlds, err := pgx.CollectRows(rows, scanWorld)
	for _, one := range worlds {
		store.cached[one.ID] = one
	}
	return store, err
}

func scanWorld(row pgx.CollectableRow) (World, error) {
	var one World
	err := row.Scan(&one.ID, &one.RandomNumber)
	return one, err
}

func randomID() int32 {
	return rand.Int32N(worldCount) + 1
}

// bounded is 1 for what is no number, and the nearest for what is beyond the bounds.
func bounded(text string) int {
	count, err := strconv.Atoi(text)
	if err != nil {
		return 1
	}
	return min(max(count, 1), countMax)
}

// One is a world by chance.
func (store *Store) One(ctx context.Context) (World, error) {
	var found World
	err := store.pool.QueryRow(ctx, selectOne, randomID()).Scan(&found.ID, &found.RandomNumber)
	return found, err
}

// read asks for each by a statement and a Sync of its own, all of them ahead of the first answer.
// pgx's batches have one Sync behind all statements, which TechEmpower's rules do not take.
func read(ctx context.Context, connection *pgx.Conn, ids []int32) ([]World, error) {
	statement, err := connection.Prepare(ctx, selectOne, selectOne)
	if err != nil {
		return nil, err
	}
	binaryFormat := []int16{pgx.BinaryFormatCode}
	pipeline := connection.PgConn().StartPipeline(ctx)
	for _, id := range ids {
		value := binary.BigEndian.AppendUint32(nil, uint32(id))
		pipeline.SendQueryStatement(statement, [][]byte{value}, binaryFormat, binaryFormat)
		pipeline.SendPipelineSync()
	}
	worlds, err := readAll(pipeline, connection, len(ids))
	return worlds, cmp.Or(err, pipeline.Close())
}

func readAll(pipeline *pgconn.Pipeline, connection *pgx.Conn, count int) ([]World, error) {
	if err := pipeline.Flush(); err != nil {
		return nil, err
	}
	worlds := make([]World, 0, count)
	for len(worlds) < count {
		results, err := pipeline.GetResults()
		if err != nil {
			return nil, err
		}
		reader, isRow := results.(*pgconn.ResultReader)
		if !isRow { // the end of a Sync
			continue
		}
		rows := pgx.RowsFromResultReader(connection.TypeMap(), reader)
		one, err := pgx.CollectExactlyOneRow(rows, scanWorld)
		if err != nil {
			return nil, err
		}
		worlds = append(worlds, one)
	}
	return worlds, nil
}

// Some are as many as the text says, by chance.
func (store *Store) Some(ctx context.Context, count string) ([]World, error) {
	ids := make([]int32, bounded(count))
	for i := range ids {
		ids[i] = randomID()
	}
	connection, err := store.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	return read(ctx, connection.Conn(), ids)
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

// Update gives as many a new number.
func (store *Store) Update(ctx context.Context, count string) ([]World, error) {
	connection, err := store.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer connection.Release()
	ids := different(bounded(count))
	worlds, err := read(ctx, connection.Conn(), ids)
	if err != nil {
		return nil, err
	}
	numbers := make([]int32, len(worlds))
	for i := range worlds {
		numbers[i] = randomID()
		worlds[i].RandomNumber = numbers[i]
	}
	_, err = connection.Exec(ctx, "update world set randomnumber = new.number "+
		"from unnest($1::int[], $2::int[]) as new(id, number) where world.id = new.id", ids, numbers)
	return worlds, err
}

// Cached are as many as were read at the start.
func (store *Store) Cached(count string) []World {
	worlds := make([]World, bounded(count))
	for i := range worlds {
		worlds[i] = store.cached[randomID()]
	}
	return worlds
}

// Fortunes are those of the page, in their order.
func (store *Store) Fortunes(ctx context.Context) ([]Fortune, error) {
	rows, err := store.pool.Query(ctx, "select id, message from fortune")
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Fortune, error) {
		var one Fortune
		err := row.Scan(&one.ID, &one.Message)
		return one, err
	})
	found = append(found, Fortune{Message: "Additional fortune added at request time."})
	slices.SortFunc(found, func(a, b Fortune) int { return cmp.Compare(a.Message, b.Message) })
	return found, err
}
