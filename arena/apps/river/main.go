// Enqueues or runs jobs for `./arena/run jobs`: see arena/APPLICATIONS.md.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

const enqueuers = 8

// As in river's own benchmark: the default of 100 ms would limit a queue to 1,000 jobs per second
// with 100 workers.
const fetchCooldown = 2 * time.Millisecond

type noteArgs struct {
	N int64 `json:"n"`
}

func (noteArgs) Kind() string { return "note" }

type noteWorker struct {
	river.WorkerDefaults[noteArgs]
	pool            *pgxpool.Pool
	left            *atomic.Int64
	isTransactional bool
}

const insertEffect = "insert into effects(n) values($1)"

func (w *noteWorker) Work(ctx context.Context, job *river.Job[noteArgs]) error {
	if err := w.note(ctx, job); err != nil {
		return err
	}
	if w.left.Add(-1) == 0 {
		fmt.Println("done")
	}
	return nil
}

func (w *noteWorker) note(ctx context.Context, job *river.Job[noteArgs]) error {
	if !w.isTransactional {
		_, err := w.pool.Exec(ctx, insertEffect, job.Args.N)
		return err
	}
	return pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, insertEffect, job.Args.N); err != nil {
			return err
		}
		_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, job)
		return err
	})
}

// The arena reads the clock and the CPU time before it sends the line.
func waitForArena() {
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		log.Fatal(err)
	}
}

func enqueueSome(ctx context.Context, client *river.Client[pgx.Tx], first, end int64) error {
	if end-first == 1 {
		_, err := client.Insert(ctx, noteArgs{first}, nil)
		return err
	}
	var params []river.InsertManyParams
	for n := first; n < end; n++ {
		params = append(params, river.InsertManyParams{Args: noteArgs{n}})
	}
	_, err := client.InsertManyFast(ctx, params)
	return err
}

func enqueue(ctx context.Context, client *river.Client[pgx.Tx], count, batch int64) {
	waitForArena()
	var next atomic.Int64
	var all sync.WaitGroup
	for range enqueuers {
		all.Go(func() {
			for first := next.Add(batch) - batch; first < count; first = next.Add(batch) - batch {
				if err := enqueueSome(ctx, client, first, min(first+batch, count)); err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	all.Wait()
	fmt.Println("done")
}

func number(word int) int64 {
	value, err := strconv.ParseInt(os.Args[word], 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func clientOf(pool *pgxpool.Pool, config *river.Config) *river.Client[pgx.Tx] {
	config.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	client, err := river.NewClient(riverpgxv5.New(pool), config)
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func create(ctx context.Context, pool *pgxpool.Pool) {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err == nil {
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func work(ctx context.Context, pool *pgxpool.Pool, count int64, concurrency int) {
	var left atomic.Int64
	left.Store(count)
	workers := river.NewWorkers()
	river.AddWorker(workers, &noteWorker{
		pool: pool, left: &left, isTransactional: os.Args[len(os.Args)-1] == "--transactional"})
	client := clientOf(pool, &river.Config{
		FetchCooldown: fetchCooldown,
		Queues:        map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: concurrency}},
		Workers:       workers,
	})
	waitForArena()
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	config.MaxConns = int32(number(5))
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		log.Fatal(err)
	}
	switch os.Args[2] {
	case "create":
		create(ctx, pool)
		waitForArena()
	case "enqueue":
		enqueue(ctx, clientOf(pool, &river.Config{}), number(3), number(4))
	case "work":
		work(ctx, pool, number(3), int(number(4)))
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	<-ended
}
