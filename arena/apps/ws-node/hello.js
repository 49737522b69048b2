// An echo on the ws package.
import { WebSocketServer } from 'ws';

new WebSocketServer({ port: 8080 }).on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});
