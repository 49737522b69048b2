// What of the measuring service stays open or streams, on Bun.serve: WebSockets, event streams,
// large bodies, files. Rooms are topics of one process.
import { basename, join } from 'node:path';

const PIECE_BYTES = 64 * 1024;
const piece = new Uint8Array(PIECE_BYTES).fill('x'.charCodeAt(0));
const octets = { headers: { 'Content-Type': 'application/octet-stream' } };
const eventStream = { headers: { 'Content-Type': 'text/event-stream' } };

export const websocket = {
  publishToSelf: true,
  open(socket) {
    if (socket.data.room) socket.subscribe(socket.data.room);
  },
  message(socket, message) {
    if (socket.data.room) socket.publish(socket.data.room, message);
    else socket.send(message);
  },
};

function upgraded(request, server, data) {
  if (server.upgrade(request, { data })) return undefined;
  return new Response('a WebSocket is spoken here', { status: 426 });
}

function events(request) {
  const count = Number(new URL(request.url).searchParams.get('n'));
  if (!Number.isInteger(count)) return new Response('n must be a number', { status: 400 });
  return new Response(async function* () {
    for (let i = 0; i < count; ++i) yield `data: ${i}\n\n`;
  }, eventStream);
}

function stream(request) {
  let left = Number(request.params.bytes);
  if (!Number.isInteger(left)) return new Response('not a number of bytes', { status: 400 });
  const body = new ReadableStream({
    pull(controller) {
      if (left > 0) controller.enqueue(piece.subarray(0, Math.min(left, PIECE_BYTES)));
      left -= PIECE_BYTES;
      if (left <= 0) controller.close();
    },
  });
  return new Response(body, octets);
}

const file = (request) =>
  new Response(Bun.file(join(process.env.FILES_DIR, basename(request.params.name))));

export const realtimeRoutes = {
  '/ws': (request, server) => upgraded(request, server, {}),
  '/ws/room/:name': (request, server) => upgraded(request, server, { room: request.params.name }),
  '/events': { GET: events },
  '/stream/:bytes': { GET: stream },
  ...(process.env.FILES_DIR ? { '/files/:name': { GET: file } } : {}),
};
