// HttpArena's profile json: the items of a file that is read once, and what so many of each cost.
// Must not keep what was answered, nor know how an answer is sent.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { idOf, numberOf } from './rows.js';

// Makes the first items by the number that a path says, their totals by the query's m; null where
// the path says no number.
export function itemLists(profiles) {
  const all = JSON.parse(readFileSync(join(profiles, 'dataset.json'), 'utf8'));
  return (path, query) => {
    const asked = idOf(path);
    if (asked === null) return null;
    const multiplier = numberOf(query, 'm', 1);
    const items = all.slice(0, Math.max(asked, 1)).map((item) =>
      ({ ...item, total: item.price * item.quantity * multiplier }));
    return { items, count: items.length };
  };
}
