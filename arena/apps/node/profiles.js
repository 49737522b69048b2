// HttpArena's profiles on Node's http module: JSON of items, compressed by zlib, uploads, and
// files by sirv.
import { gzipSync } from 'node:zlib';
import sirv from 'sirv';
import { itemLists } from './dataset.js'; // apps/common/rows/js, laid beside this file

function send(response, mediaType, content, headers = {}) {
  response.writeHead(200, {
    'Content-Type': mediaType, 'Content-Length': Buffer.byteLength(content), ...headers,
  });
  response.end(content);
}

function sendItems(request, response, found) {
  if (found === null) {
    response.writeHead(400).end();
    return;
  }
  const text = JSON.stringify(found);
  if (/\bgzip\b/.test(request.headers['accept-encoding'])) {
    // Handed to the pool of threads, texts of this size cost several times as much.
    const headers = { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' };
    send(response, 'application/json', gzipSync(text), headers);
  } else {
    send(response, 'application/json', text);
  }
}

// Counts what comes; a client that leaves before its end gets no answer.
export function answerUpload(request, response) {
  let bytes = 0;
  request.on('data', (part) => {
    bytes += part.length;
  });
  request.on('end', () => send(response, 'text/plain', String(bytes)));
  request.on('error', () => response.destroy());
}

// Answers a GET, or returns false. PROFILES_DIR in the environment says where dataset.json and
// static are.
export function profileAnswers(folder) {
  const list = itemLists(folder);
  const files = sirv(folder, { brotli: true, gzip: true });
  return (request, response) => {
    const [path, words] = request.url.split('?', 2);
    if (path.startsWith('/json/')) {
      sendItems(request, response, list(path.slice('/json/'.length), new URLSearchParams(words)));
    } else if (path.startsWith('/static/')) {
      files(request, response);
    } else {
      return false;
    }
    return true;
  };
}
