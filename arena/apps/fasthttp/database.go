// What comes out of a database, by the shared package's store; pages by quicktemplate.
package main

import (
	"context"
	"encoding/json"
	"strconv"

	"arena/fasthttp/pages"
	"arena/rows"
	"github.com/fasthttp/router"
	"github.com/valyala/fasthttp"
)

type stored struct {
	*rows.Store
}

// background is what is asked for here: fasthttp's own context ends with the server alone.
var background = context.Background()

// answering sends what is returned as JSON, or why there is nothing.
func answering[T any](answer func(*fasthttp.RequestCtx) (T, error)) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		value, err := answer(ctx)
		if !failed(ctx, err) {
			sendJSON(ctx, value)
		}
	}
}

func failed(ctx *fasthttp.RequestCtx, err error) bool {
	if rows.IsNone(err) {
		ctx.Error("not found", fasthttp.StatusNotFound)
	} else if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
	}
	return err != nil
}

// said is what the query says of a name, or "".
func said(ctx *fasthttp.RequestCtx) func(string) string {
	return func(name string) string { return string(ctx.QueryArgs().Peek(name)) }
}

func (all stored) one(*fasthttp.RequestCtx) (rows.World, error) {
	return all.One(background)
}

func (all stored) some(ctx *fasthttp.RequestCtx) ([]rows.World, error) {
	return all.Some(background, said(ctx)("count"))
}

func (all stored) update(ctx *fasthttp.RequestCtx) ([]rows.World, error) {
	return all.Update(background, said(ctx)("count"))
}

func (all stored) cached(ctx *fasthttp.RequestCtx) ([]rows.World, error) {
	return all.Cached(said(ctx)("count")), nil
}

func (all stored) between(ctx *fasthttp.RequestCtx) (rows.FoundItems, error) {
	return all.Between(background, said(ctx))
}

func (all stored) list(ctx *fasthttp.RequestCtx) (rows.ListedItems, error) {
	return all.List(background, said(ctx))
}

func (all stored) fortunes(ctx *fasthttp.RequestCtx) {
	found, err := all.Fortunes(background)
	if failed(ctx, err) {
		return
	}
	ctx.SetContentType("text/html; charset=utf-8")
	pages.WriteFortunesPage(ctx, found)
}

func idOf(ctx *fasthttp.RequestCtx) (int32, bool) {
	id, err := strconv.ParseInt(ctx.UserValue("id").(string), 10, 32)
	if err != nil {
		ctx.Error("no id", fasthttp.StatusBadRequest)
	}
	return int32(id), err == nil
}

func (all stored) item(ctx *fasthttp.RequestCtx) {
	id, isID := idOf(ctx)
	if !isID {
		return
	}
	text, how, err := all.Item(background, id)
	if failed(ctx, err) {
		return
	}
	ctx.Response.Header.Set("X-Cache", how)
	ctx.SetContentType("application/json")
	ctx.Response.SetBodyRaw(text)
}

func (all stored) add(ctx *fasthttp.RequestCtx) {
	var added rows.NewItem
	if err := json.Unmarshal(ctx.PostBody(), &added); err != nil || added.ID == nil {
		ctx.Error("no item", fasthttp.StatusBadRequest)
		return
	}
	if !failed(ctx, all.Add(background, added)) {
		sendJSON(ctx, added)
		ctx.SetStatusCode(fasthttp.StatusCreated)
	}
}

func (all stored) change(ctx *fasthttp.RequestCtx) {
	id, isID := idOf(ctx)
	if !isID {
		return
	}
	var wanted rows.ItemChange
	if err := json.Unmarshal(ctx.PostBody(), &wanted); err != nil {
		ctx.Error("no item", fasthttp.StatusBadRequest)
		return
	}
	changed, err := all.Change(background, id, wanted)
	if !failed(ctx, err) {
		sendJSON(ctx, changed)
	}
}

func addDatabase(routes *router.Router, store *rows.Store) {
	all := stored{store}
	routes.GET("/db", answering(all.one))
	routes.GET("/queries", answering(all.some))
	routes.GET("/updates", answering(all.update))
	routes.GET("/cached-queries", answering(all.cached))
	routes.GET("/fortunes", all.fortunes)
	routes.GET("/async-db", answering(all.between))
	routes.GET("/crud/items", answering(all.list))
	routes.POST("/crud/items", all.add)
	routes.GET("/crud/items/{id}", all.item)
	routes.PUT("/crud/items/{id}", all.change)
}
