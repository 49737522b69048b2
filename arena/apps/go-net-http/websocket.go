package main

import (
	"net/http"
	"sync"

	"github.com/gorilla/websocket"
)

const messagesKept = 256

// Its default takes the buffers of the HTTP server over, as its documentation advises.
var upgrader = websocket.Upgrader{}

// echo is gorilla's own example.
func echo(response http.ResponseWriter, request *http.Request) {
	connection, err := upgrader.Upgrade(response, request, nil)
	if err != nil {
		return
	}
	defer connection.Close()
	for {
		kind, message, err := connection.ReadMessage()
		if err != nil {
			return
		}
		if err = connection.WriteMessage(kind, message); err != nil {
			return
		}
	}
}

// room is the hub of gorilla's chat example: its members, each with a goroutine that writes.
type room struct {
	mutex   sync.Mutex
	members map[chan *websocket.PreparedMessage]struct{}
}

func (here *room) join() chan *websocket.PreparedMessage {
	member := make(chan *websocket.PreparedMessage, messagesKept)
	here.mutex.Lock()
	defer here.mutex.Unlock()
	here.members[member] = struct{}{}
	return member
}

// leave may find that the member was dropped already.
func (here *room) leave(member chan *websocket.PreparedMessage) {
	here.mutex.Lock()
	defer here.mutex.Unlock()
	if _, isMember := here.members[member]; isMember {
		delete(here.members, member)
		close(member)
	}
}

// publish drops who is too slow, as the example does.
func (here *room) publish(message *websocket.PreparedMessage) {
	here.mutex.Lock()
	defer here.mutex.Unlock()
	for member := range here.members {
		select {
		case member <- message:
		default:
			delete(here.members, member)
			close(member)
		}
	}
}

type rooms struct {
	mutex  sync.Mutex
	byName map[string]*room
}

func (all *rooms) named(name string) *room {
	all.mutex.Lock()
	defer all.mutex.Unlock()
	found := all.byName[name]
	if found == nil {
		found = &room{members: map[chan *websocket.PreparedMessage]struct{}{}}
		all.byName[name] = found
	}
	return found
}

func writeAll(connection *websocket.Conn, messages <-chan *websocket.PreparedMessage) {
	defer connection.Close()
	for message := range messages {
		if connection.WritePreparedMessage(message) != nil {
			return
		}
	}
}

func (all *rooms) serve(response http.ResponseWriter, request *http.Request) {
	connection, err := upgrader.Upgrade(response, request, nil)
	if err != nil {
		return
	}
	here := all.named(request.PathValue("name"))
	member := here.join()
	defer here.leave(member)
	go writeAll(connection, member)
	for {
		kind, text, err := connection.ReadMessage()
		if err != nil {
			return
		}
		message, err := websocket.NewPreparedMessage(kind, text)
		if err != nil {
			return
		}
		here.publish(message)
	}
}

func addWebSockets(mux *http.ServeMux) {
	all := &rooms{byName: map[string]*room{}}
	mux.HandleFunc("GET /ws", echo)
	mux.HandleFunc("GET /ws/room/{name}", all.serve)
}
