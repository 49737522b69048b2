// What comes out of a database, by postgres.js: TechEmpower's tests, HttpArena's async-db and crud.
// DATABASE in the environment says where it is, as libpq's keywords.
import { randomInt } from 'node:crypto';
import postgres from 'postgres';

const WORLDS = 10_000;
const COUNT_MAX = 500;
const LIMIT_MAX = 50;
const KEPT_MS = 200;
const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function open(place, connections) {
  const words = new Map(place.split(' ').map((word) => word.split('=')));
  return postgres({
    path: `${words.get('host')}/.s.PGSQL.${words.get('port')}`,
    user: words.get('user'),
    database: words.get('dbname'),
    max: connections,
  });
}

// A number of the query, or `otherwise` where it says none.
function numberOf(query, name, otherwise) {
  const text = query.get(name);
  return text && /^-?\d+$/.test(text) ? Number(text) : otherwise;
}

function bounded(value, most) {
  return Math.min(Math.max(value, 1), most);
}

function countOf(query) {
  return bounded(numberOf(query, 'count', 1), COUNT_MAX);
}

const randomId = () => randomInt(1, WORLDS + 1);
const randomIds = (count) => Array.from({ length: count }, randomId);

// No two alike, and sorted: two updates that lock the same rows do so in the same order.
function differentIds(count) {
  const found = new Set();
  while (found.size < count) found.add(randomId());
  return [...found].sort((a, b) => a - b);
}

function itemOf({ rating_score: score, rating_count: count, ...item }) {
  return { ...item, rating: { score, count } };
}

function pageOf(fortunes) {
  const escape = (text) => text.replace(/[&<>"']/g, (letter) => ESCAPES[letter]);
  const rows = fortunes.map(({ id, message }) =>
    `<tr><td>${id}</td><td>${escape(message)}</td></tr>`);
  return '<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>'
    + `<tr><th>id</th><th>message</th></tr>${rows.join('')}</table></body></html>`;
}

const json = (value, status = 200) => ({ type: 'application/json', text: JSON.stringify(value), status });
const notFound = { type: 'text/plain', text: 'not found', status: 404 };
const refused = { type: 'text/plain', text: 'no item', status: 400 };

function readBody(text, kinds) {
  try {
    const body = JSON.parse(text);
    return Object.entries(kinds).every(([name, kind]) => typeof body[name] === kind) ? body : null;
  } catch {
    return null;
  }
}

function worldAnswers(sql, cached) {
  // Each a statement of its own, all on their way at once: postgres.js pipelines them.
  const read = (ids) => Promise.all(ids.map(async (id) =>
    (await sql`select id, randomnumber as "randomNumber" from world where id = ${id}`)[0]));
  return {
    '/db': async () => json((await read([randomId()]))[0]),
    '/queries': async (query) => json(await read(randomIds(countOf(query)))),
    '/updates': async (query) => {
      const worlds = await read(differentIds(countOf(query)));
      for (const world of worlds) world.randomNumber = randomId();
      await sql`update world set randomnumber = new.number
        from unnest(${worlds.map(({ id }) => id)}::int[],
          ${worlds.map(({ randomNumber }) => randomNumber)}::int[]) as new(id, number)
        where world.id = new.id`;
      return json(worlds);
    },
    '/cached-queries': (query) => json(randomIds(countOf(query)).map((id) => cached.get(id))),
    '/fortunes': async () => {
      const fortunes = [...await sql`select id, message from fortune`];
      fortunes.push({ id: 0, message: 'Additional fortune added at request time.' });
      fortunes.sort((a, b) => (a.message < b.message ? -1 : 1));
      return { type: 'text/html; charset=utf-8', text: pageOf(fortunes), status: 200 };
    },
  };
}

function listAnswers(sql) {
  return {
    '/async-db': async (query) => {
      const items = (await sql`select id, name, category, price, quantity, active, tags,
        rating_score, rating_count from items
        where price between ${numberOf(query, 'min', 10)} and ${numberOf(query, 'max', 50)}
        limit ${bounded(numberOf(query, 'limit', LIMIT_MAX), LIMIT_MAX)}`).map(itemOf);
      return json({ items, count: items.length });
    },
    '/crud/items': async (query) => {
      const limit = bounded(numberOf(query, 'limit', 10), LIMIT_MAX);
      const page = Math.max(numberOf(query, 'page', 1), 1);
      const items = (await sql`select id, name, category, price, quantity, active, tags,
        rating_score, rating_count from items
        where category = ${query.get('category') ?? 'electronics'}
        order by id limit ${limit} offset ${(page - 1) * limit}`).map(itemOf);
      return json({ items, total: items.length, page, limit });
    },
  };
}

function itemAnswers(sql) {
  const kept = new Map();
  const keptAnswer = (text, how) =>
    ({ type: 'application/json', text, status: 200, headers: { 'X-Cache': how } });
  return {
    async read(id) {
      const found = kept.get(id);
      if (found && found.until > performance.now()) return keptAnswer(found.text, 'HIT');
      const [row] = await sql`select id, name, category, price, quantity, active, tags,
        rating_score, rating_count from items where id = ${id}`;
      if (!row) return notFound;
      const text = JSON.stringify(itemOf(row));
      kept.set(id, { text, until: performance.now() + KEPT_MS });
      return keptAnswer(text, 'MISS');
    },
    async change(id, text) {
      const body = readBody(text, { name: 'string', price: 'number', quantity: 'number' });
      if (!body) return refused;
      const [changed] = await sql`update items set name = ${body.name}, price = ${body.price},
        quantity = ${body.quantity} where id = ${id} returning id, name, price, quantity`;
      kept.delete(id);
      return changed ? json(changed) : notFound;
    },
    async add(text) {
      const item = readBody(text, {
        id: 'number', name: 'string', category: 'string', price: 'number', quantity: 'number',
      });
      if (!item) return refused;
      await sql`insert into items values(${item.id}, ${item.name}, ${item.category}, ${item.price},
        ${item.quantity}, true, '[]', 0, 0) on conflict (id) do update set name = excluded.name,
        category = excluded.category, price = excluded.price, quantity = excluded.quantity`;
      kept.delete(item.id);
      return json(item, 201);
    },
  };
}

// Answers (method, url, content) with { type, text, status, headers }, or with null what is not asked
// of a database.
export async function databaseAnswers(place, connections) {
  const sql = open(place, connections);
  const rows = await sql`select id, randomnumber as "randomNumber" from world`;
  const cached = new Map(rows.map((world) => [world.id, world]));
  const reads = { ...worldAnswers(sql, cached), ...listAnswers(sql) };
  const items = itemAnswers(sql);
  return (method, url, content) => {
    const [path, words] = url.split('?');
    const query = new URLSearchParams(words);
    if (method === 'GET' && reads[path]) return reads[path](query);
    if (method === 'POST' && path === '/crud/items') return content().then(items.add);
    const one = /^\/crud\/items\/(.*)$/.exec(path);
    if (!one) return null;
    if (!/^\d{1,9}$/.test(one[1])) return refused;
    const id = Number(one[1]);
    return method === 'PUT' ? content().then((text) => items.change(id, text)) : items.read(id);
  };
}
