// What comes out of a database, by the shared package's store; pages by html/template.
package main

import (
	"encoding/json"
	"html/template"
	"net/http"
	"strconv"

	"arena/rows"
)

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

type stored struct {
	*rows.Store
}

// answering sends what is returned as JSON, or why there is nothing.
func answering[T any](answer func(*http.Request) (T, error)) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		value, err := answer(request)
		if !failed(response, err) {
			sendJSON(response, value)
		}
	}
}

func failed(response http.ResponseWriter, err error) bool {
	if rows.IsNone(err) {
		http.Error(response, "not found", http.StatusNotFound)
	} else if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
	}
	return err != nil
}

func (all stored) one(request *http.Request) (rows.World, error) {
	return all.One(request.Context())
}

func (all stored) some(request *http.Request) ([]rows.World, error) {
	return all.Some(request.Context(), request.URL.Query().Get("count"))
}

func (all stored) update(request *http.Request) ([]rows.World, error) {
	return all.Update(request.Context(), request.URL.Query().Get("count"))
}

func (all stored) cached(request *http.Request) ([]rows.World, error) {
	return all.Cached(request.URL.Query().Get("count")), nil
}

func (all stored) between(request *http.Request) (rows.FoundItems, error) {
	return all.Between(request.Context(), request.URL.Query().Get)
}

func (all stored) list(request *http.Request) (rows.ListedItems, error) {
	return all.List(request.Context(), request.URL.Query().Get)
}

func (all stored) fortunes(response http.ResponseWriter, request *http.Request) {
	found, err := all.Fortunes(request.Context())
	if failed(response, err) {
		return
	}
	response.Header().Set("Content-Type", "text/html; charset=utf-8")
	fortunesPage.Execute(response, found)
}

func idOf(response http.ResponseWriter, request *http.Request) (int32, bool) {
	id, err := strconv.ParseInt(request.PathValue("id"), 10, 32)
	if err != nil {
		http.Error(response, "no id", http.StatusBadRequest)
	}
	return int32(id), err == nil
}

func (all stored) item(response http.ResponseWriter, request *http.Request) {
	id, isID := idOf(response, request)
	if !isID {
		return
	}
	text, how, err := all.Item(request.Context(), id)
	if failed(response, err) {
		return
	}
	response.Header().Set("X-Cache", how)
	response.Header().Set("Content-Type", "application/json")
	response.Write(text)
}

func (all stored) add(response http.ResponseWriter, request *http.Request) {
	var added rows.NewItem
	err := json.NewDecoder(request.Body).Decode(&added)
	if err != nil || added.ID == nil {
		http.Error(response, "no item", http.StatusBadRequest)
		return
	}
	if failed(response, all.Add(request.Context(), added)) {
		return
	}
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(http.StatusCreated)
	json.NewEncoder(response).Encode(added)
}

func (all stored) change(response http.ResponseWriter, request *http.Request) {
	id, isID := idOf(response, request)
	if !isID {
		return
	}
	var wanted rows.ItemChange
	if err := json.NewDecoder(request.Body).Decode(&wanted); err != nil {
		http.Error(response, "no item", http.StatusBadRequest)
		return
	}
	changed, err := all.Change(request.Context(), id, wanted)
	if !failed(response, err) {
		sendJSON(response, changed)
	}
}

func addDatabase(mux *http.ServeMux, store *rows.Store) {
	all := stored{store}
	mux.HandleFunc("GET /db", answering(all.one))
	mux.HandleFunc("GET /queries", answering(all.some))
	mux.HandleFunc("GET /updates", answering(all.update))
	mux.HandleFunc("GET /cached-queries", answering(all.cached))
	mux.HandleFunc("GET /fortunes", all.fortunes)
	mux.HandleFunc("GET /async-db", answering(all.between))
	mux.HandleFunc("GET /crud/items", answering(all.list))
	mux.HandleFunc("POST /crud/items", all.add)
	mux.HandleFunc("GET /crud/items/{id}", all.item)
	mux.HandleFunc("PUT /crud/items/{id}", all.change)
}
