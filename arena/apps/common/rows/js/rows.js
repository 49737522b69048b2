// What comes out of a database, by postgres.js or Bun's client, which is asked in the same manner:
// TechEmpower's tests, HttpArena's async-db and crud. Must not know how an answer is sent.

const WORLDS = 10_000;
const COUNT_MAX = 500;
const LIMIT_MAX = 50;
const KEPT_MS = 200;

// Where the database is, out of libpq's keywords.
export function placeOf(keywords) {
  const { host, port, user, dbname: database } = Object.fromEntries(
    keywords.split(' ').map((word) => word.split('=')));
  return { path: `${host}/.s.PGSQL.${port}`, user, database };
}

// A number of the query, or `otherwise` where it says none.
export function numberOf(query, name, otherwise) {
  const text = query.get(name);
  return text && /^-?\d+$/.test(text) ? Number(text) : otherwise;
}

function bounded(value, most) {
  return Math.min(Math.max(value, 1), most);
}

function countOf(query) {
  return bounded(numberOf(query, 'count', 1), COUNT_MAX);
}

const randomId = () => Math.floor(Math.random() * WORLDS) + 1;
const randomIds = (count) => Array.from({ length: count }, randomId);

// No two alike, and sorted: two updates that lock the same rows do so in the same order.
function differentIds(count) {
  const found = new Set();
  while (found.size < count) found.add(randomId());
  return [...found].sort((a, b) => a - b);
}

// TechEmpower's answers, by the query of a request; escape: makes HTML of a text.
export async function worldReads(sql, escape) {
  // Each a statement of its own, all on their way at once: both clients pipeline them.
  const read = (ids) => Promise.all(ids.map(async (id) =>
    (await sql`select id, randomnumber as "randomNumber" from world where id = ${id}`)[0]));
  const all = await sql`select id, randomnumber as "randomNumber" from world`;
  const cached = new Map(all.map((world) => [world.id, world]));
  return {
    one: async () => (await read([randomId()]))[0],
    some: (query) => read(randomIds(countOf(query))),
    async update(query) {
      const worlds = await read(differentIds(countOf(query)));
      for (const world of worlds) world.randomNumber = randomId();
      await sql`update world set randomnumber = new.number
        from unnest(${worlds.map(({ id }) => id)}::int[],
          ${worlds.map(({ randomNumber }) => randomNumber)}::int[]) as new(id, number)
        where world.id = new.id`;
      return worlds;
    },
    cached: (query) => randomIds(countOf(query)).map((id) => cached.get(id)),
    async fortunes() {
      const fortunes = [...await sql`select id, message from fortune`];
      fortunes.push({ id: 0, message: 'Additional fortune added at request time.' });
      fortunes.sort((a, b) => (a.message < b.message ? -1 : 1));
      const rows = fortunes.map(({ id, message }) =>
        `<tr><td>${id}</td><td>${escape(message)}</td></tr>`);
      return '<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table>'
        + `<tr><th>id</th><th>message</th></tr>${rows.join('')}</table></body></html>`;
    },
  };
}

function itemOf({ rating_score: score, rating_count: count, ...item }) {
  return { ...item, rating: { score, count } };
}

// Lists of items, by the query of a request.
export function itemReads(sql) {
  return {
    async between(query) {
      const items = (await sql`select id, name, category, price, quantity, active, tags,
        rating_score, rating_count from items
        where price between ${numberOf(query, 'min', 10)} and ${numberOf(query, 'max', 50)}
        limit ${bounded(numberOf(query, 'limit', LIMIT_MAX), LIMIT_MAX)}`).map(itemOf);
      return { items, count: items.length };
    },
    async list(query) {
      const limit = bounded(numberOf(query, 'limit', 10), LIMIT_MAX);
      const page = Math.max(numberOf(query, 'page', 1), 1);
      const items = (await sql`select id, name, category, price, quantity, active, tags,
        rating_score, rating_count from items
        where category = ${query.get('category') ?? 'electronics'}
        order by id limit ${limit} offset ${(page - 1) * limit}`).map(itemOf);
      return { items, total: items.length, page, limit };
    },
  };
}

// The number that a path says, or null.
export const idOf = (text) => (/^\d{1,9}$/.test(text) ? Number(text) : null);

const fits = (body, kinds) =>
  Object.entries(kinds).every(([name, kind]) => typeof body?.[name] === kind);

export const isChange = (body) =>
  fits(body, { name: 'string', price: 'number', quantity: 'number' });
export const isItem = (body) => isChange(body) && fits(body, { id: 'number', category: 'string' });

// Single items, whose JSON is kept for a while. What is not there is null.
export function itemStore(sql) {
  const kept = new Map();
  return {
    async read(id) {
      const found = kept.get(id);
      if (found && found.until > performance.now()) return { text: found.text, how: 'HIT' };
      const [row] = await sql`select id, name, category, price, quantity, active, tags,
        rating_score, rating_count from items where id = ${id}`;
      if (!row) return null;
      const text = JSON.stringify(itemOf(row));
      kept.set(id, { text, until: performance.now() + KEPT_MS });
      return { text, how: 'MISS' };
    },
    async change(id, { name, price, quantity }) {
      const [changed] = await sql`update items set name = ${name}, price = ${price},
        quantity = ${quantity} where id = ${id} returning id, name, price, quantity`;
      kept.delete(id);
      return changed ?? null;
    },
    async add(item) {
      await sql`insert into items values(${item.id}, ${item.name}, ${item.category}, ${item.price},
        ${item.quantity}, true, '[]', 0, 0) on conflict (id) do update set name = excluded.name,
        category = excluded.category, price = excluded.price, quantity = excluded.quantity`;
      kept.delete(item.id);
      return item;
    },
  };
}
