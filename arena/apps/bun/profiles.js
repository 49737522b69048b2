// HttpArena's profiles on Bun.serve: JSON of items, compressed for who takes it, uploads, files.
import { join } from 'node:path';
import { itemLists } from '../common/rows/js/dataset.js';

const refused = () => new Response('no number of items', { status: 400 });

// By Bun's own gzip at its default level: Bun.serve compresses nothing by itself.
function gzipped(value) {
  const headers = {
    'Content-Type': 'application/json', 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding',
  };
  return new Response(Bun.gzipSync(JSON.stringify(value)), { headers });
}

function items(list) {
  return (request) => {
    const found = list(request.params.count, new URL(request.url).searchParams);
    if (found === null) return refused();
    const takesGzip = /\bgzip\b/.test(request.headers.get('Accept-Encoding'));
    return takesGzip ? gzipped(found) : Response.json(found);
  };
}

async function upload(request) {
  let bytes = 0;
  for await (const part of request.body ?? []) bytes += part.length;
  return new Response(String(bytes), { headers: { 'Content-Type': 'text/plain' } });
}

export const uploadRoutes = { '/upload': { POST: upload } };

export function profileRoutes(folder) {
  return {
    '/json/:count': { GET: items(itemLists(folder)) },
    '/static/*': { dir: join(folder, 'static') },
  };
}
