package main

import (
	"sync"

	"github.com/fasthttp/router"
	"github.com/fasthttp/websocket"
	"github.com/valyala/fasthttp"
)

const messagesKept = 256

var upgrader = websocket.FastHTTPUpgrader{}

// echo is the library's own example.
func echo(ctx *fasthttp.RequestCtx) {
	upgrader.Upgrade(ctx, func(connection *websocket.Conn) {
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
	})
}

// room is the hub of the chat example: its members, each with a goroutine that writes.
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

func readAll(connection *websocket.Conn, here *room) {
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

func (all *rooms) serve(ctx *fasthttp.RequestCtx) {
	here := all.named(ctx.UserValue("name").(string))
	upgrader.Upgrade(ctx, func(connection *websocket.Conn) {
		member := here.join()
		defer here.leave(member)
		go writeAll(connection, member)
		readAll(connection, here)
	})
}

func addWebSockets(routes *router.Router) {
	all := &rooms{byName: map[string]*room{}}
	routes.GET("/ws", echo)
	routes.GET("/ws/room/{name}", all.serve)
}
