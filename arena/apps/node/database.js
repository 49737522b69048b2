// What comes out of a database, by postgres.js.
import postgres from 'postgres';
import {
  idOf, isChange, isItem, itemReads, itemStore, placeOf, worldReads,
} from './rows.js'; // apps/common/rows/js, laid beside this file

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text) => text.replace(/[&<>"']/g, (letter) => ESCAPES[letter]);

const json = (value, status = 200) => ({ type: 'application/json', text: JSON.stringify(value), status });
const notFound = { type: 'text/plain', text: 'not found', status: 404 };
const refused = { type: 'text/plain', text: 'no item', status: 400 };

function objectOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readsOf(worlds, items) {
  const answering = (read) => async (query) => json(await read(query));
  return {
    '/db': answering(worlds.one),
    '/queries': answering(worlds.some),
    '/updates': answering(worlds.update),
    '/cached-queries': answering(worlds.cached),
    '/fortunes': async () =>
      ({ type: 'text/html; charset=utf-8', text: await worlds.fortunes(), status: 200 }),
    '/async-db': answering(items.between),
    '/crud/items': answering(items.list),
  };
}

function itemAnswers(items) {
  return {
    async read(id) {
      const found = await items.read(id);
      return found ? { ...json(null), text: found.text, headers: { 'X-Cache': found.how } } : notFound;
    },
    async change(id, text) {
      const body = objectOf(text);
      if (!isChange(body)) return refused;
      const changed = await items.change(id, body);
      return changed ? json(changed) : notFound;
    },
    async add(text) {
      const body = objectOf(text);
      return isItem(body) ? json(await items.add(body), 201) : refused;
    },
  };
}

// Answers (method, url, content) with { type, text, status, headers }, or with null what is not asked
// of a database. DATABASE in the environment says where it is, as libpq's keywords.
export async function databaseAnswers(place, connections) {
  const sql = postgres({ ...placeOf(place), max: connections });
  const reads = readsOf(await worldReads(sql, escape), itemReads(sql));
  const items = itemAnswers(itemStore(sql));
  return (method, url, content) => {
    const [path, words] = url.split('?');
    if (method === 'GET' && reads[path]) return reads[path](new URLSearchParams(words));
    if (method === 'POST' && path === '/crud/items') return content().then(items.add);
    const one = /^\/crud\/items\/(.*)$/.exec(path);
    if (!one) return null;
    const id = idOf(one[1]);
    if (id === null) return refused;
    return method === 'PUT' ? content().then((text) => items.change(id, text)) : items.read(id);
  };
}
