// WebSockets on the ws package: PORT. One process: a room is in one process only.
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';

const BACKLOG = 4096;
const ROOM = '/ws/room/';

const echo = new WebSocketServer({ noServer: true });
echo.on('connection', (socket) => {
  socket.on('error', console.error);
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});

// One server for each room, as ws keeps the set of a server's clients.
const rooms = new Map();

function makeRoom() {
  const room = new WebSocketServer({ noServer: true });
  room.on('connection', (socket) => {
    socket.on('error', console.error);
    socket.on('message', (data, isBinary) => {
      for (const client of room.clients) {
        if (client.readyState === client.OPEN) client.send(data, { binary: isBinary });
      }
    });
  });
  return room;
}

function serverFor(path) {
  if (path === '/ws') return echo;
  if (!path.startsWith(ROOM)) return null;
  const name = path.slice(ROOM.length);
  if (!rooms.has(name)) rooms.set(name, makeRoom());
  return rooms.get(name);
}

const port = Number(process.argv[2]);
if (!Number.isInteger(port)) {
  console.error('usage: app.js PORT');
  process.exit(2);
}
const server = createServer((request, response) => response.writeHead(404).end());
server.on('upgrade', (request, socket, head) => {
  const found = serverFor(request.url);
  if (found === null) {
    socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    return;
  }
  found.handleUpgrade(request, socket, head, (one) => found.emit('connection', one, request));
});
server.listen({ port, host: '0.0.0.0', backlog: BACKLOG });
process.on('SIGTERM', () => {
  for (const one of [echo, ...rooms.values()]) {
    for (const client of one.clients) client.terminate();
  }
  server.close(() => process.exit(0));
  server.closeAllConnections();
});
