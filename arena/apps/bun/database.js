// What comes out of a database, by Bun's own client.
import { SQL } from 'bun';
import {
  idOf, isChange, isItem, itemReads, itemStore, placeOf, worldReads,
} from '../common/rows/js/rows.js';

const html = { headers: { 'Content-Type': 'text/html; charset=utf-8' } };
const notFound = () => new Response('not found', { status: 404 });
const refused = () => new Response('no item', { status: 400 });
const bodyOf = (request) => request.json().catch(() => null);

// Answers with the JSON of what `read` makes of the query.
const answering = (read) => async (request) =>
  Response.json(await read(new URL(request.url).searchParams));

function itemRoutes(items) {
  const withId = (answer) => (request) => {
    const id = idOf(request.params.id);
    return id === null ? refused() : answer(id, request);
  };
  return {
    GET: withId(async (id) => {
      const found = await items.read(id);
      if (!found) return notFound();
      const headers = { 'Content-Type': 'application/json', 'X-Cache': found.how };
      return new Response(found.text, { headers });
    }),
    PUT: withId(async (id, request) => {
      const body = await bodyOf(request);
      if (!isChange(body)) return refused();
      const changed = await items.change(id, body);
      return changed ? Response.json(changed) : notFound();
    }),
  };
}

// The routes; place: libpq's keywords.
export async function databaseRoutes(place, connections) {
  const sql = new SQL({ adapter: 'postgres', ...placeOf(place), max: connections });
  const worlds = await worldReads(sql, Bun.escapeHTML);
  const reads = itemReads(sql);
  const items = itemStore(sql);
  return {
    '/db': { GET: answering(worlds.one) },
    '/queries': { GET: answering(worlds.some) },
    '/updates': { GET: answering(worlds.update) },
    '/cached-queries': { GET: answering(worlds.cached) },
    '/fortunes': { GET: async () => new Response(await worlds.fortunes(), html) },
    '/async-db': { GET: answering(reads.between) },
    '/crud/items': {
      GET: answering(reads.list),
      async POST(request) {
        const body = await bodyOf(request);
        return isItem(body) ? Response.json(await items.add(body), { status: 201 }) : refused();
      },
    },
    '/crud/items/:id': itemRoutes(items),
  };
}
