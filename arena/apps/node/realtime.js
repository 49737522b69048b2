// What of the measuring service streams, on Node's http module: events, large bodies, files.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const PIECE_BYTES = 64 * 1024;
const piece = Buffer.alloc(PIECE_BYTES, 'x');
const OCTETS = { 'Content-Type': 'application/octet-stream' };

function* countdown(bytes) {
  for (let left = bytes; left > 0; left -= PIECE_BYTES) {
    yield left < PIECE_BYTES ? piece.subarray(0, left) : piece;
  }
}

// The client that leaves early ends a pipeline with an error that concerns nobody else.
const send = (source, response) => pipeline(source, response).catch(() => response.destroy());

function events(response, count) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (let i = 0; i < count; ++i) response.write(`data: ${i}\n\n`);
  response.end();
}

async function file(response, name) {
  const path = join(process.env.FILES_DIR, basename(name));
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { ...OCTETS, 'Content-Length': found.size });
  send(createReadStream(path), response);
}

// True when the path is one of these.
export function answerStreaming(response, url) {
  const [path, query] = url.split('?', 2);
  const [, first, second, ...rest] = path.split('/');
  if (path === '/events') {
    events(response, Number(new URLSearchParams(query).get('n')));
  } else if (first === 'stream' && /^\d+$/.test(second) && rest.length === 0) {
    response.writeHead(200, OCTETS);
    send(Readable.from(countdown(Number(second))), response);
  } else if (first === 'files' && rest.length === 0 && process.env.FILES_DIR) {
    file(response, second);
  } else {
    return false;
  }
  return true;
}
