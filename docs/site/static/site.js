// Colours, copying and the search. Must not be needed to read: pages stand without it.
'use strict';

const top_ = document.body.dataset.top;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

// Colours: as the system has them, light, dark.
{
  const button = document.querySelector('.theme');
  const root = document.documentElement;
  const choices = ['', 'light', 'dark'];
  const told = {'': 'as the system has them', light: 'light', dark: 'dark'};
  const tell = () => button.setAttribute('aria-label', `Colours: ${told[root.dataset.colours || '']}`);
  button.hidden = false;
  tell();
  button.addEventListener('click', () => {
    const next = choices[(choices.indexOf(root.dataset.colours || '') + 1) % choices.length];
    if (next) root.dataset.colours = next;
    else delete root.dataset.colours;
    button.title = `Colours: ${told[next]}`;
    tell();
    try { localStorage.setItem('eider-colours', next); } catch { /* holds for this page alone */ }
  });
}

// Code is copied as it stands.
if (navigator.clipboard) {
  for (const figure of all('figure.code')) {
    const button = make('button', {type: 'button', class: 'copy', 'aria-label': 'Copy the code'}, 'Copy');
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    figure.append(button);
  }
}

// The menu shows where one is; the list of parts shows which one is read.
document.querySelector('.side [aria-current]')?.scrollIntoView({block: 'center'});
scrollTo(scrollX, location.hash ? scrollY : 0);
{
  const links = new Map(all('.parts a').map((link) => [link.hash.slice(1), link]));
  const headings = all('main h2[id], main h3[id]').filter((heading) => links.has(heading.id));
  if (headings.length > 1) {
    const mark = () => {
      const read = headings.findLast((each) => each.getBoundingClientRect().top < 120) || headings[0];
      for (const [id, link] of links) link.classList.toggle('read', id === read.id);
    };
    addEventListener('scroll', mark, {passive: true});
    mark();
  }
}

// The search: terms of the index that begin with what is typed, all of them wanted, the best first.
{
  const dialog = document.querySelector('dialog.search');
  const input = dialog.querySelector('input');
  const said = dialog.querySelector('.said');
  const list = dialog.querySelector('#site-found');
  const open = document.querySelector('.search-open');
  const SHOWN_MAX = 30;
  const OF_PAGE_MAX = 3;
  let index = null;

  const load = async () => {
    if (index) return;
    said.textContent = 'Reading the index …';
    try {
      const answer = await fetch(`${top_}search.json`);
      if (!answer.ok) throw new Error(`${answer.status}`);
      index = await answer.json();
      index.sorted = Object.keys(index.terms);
      said.textContent = '';
      look();
    } catch {
      said.textContent = location.protocol === 'file:'
        ? 'Browsers do not let pages from a file read the index: ./docs/build --serve 8000 shows the site with its search.'
        : 'The index (search.json) could not be read.';
    }
  };

  // Where the first term stands that is not less than this one.
  const place = (term) => {
    let low = 0;
    let high = index.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (index.sorted[middle] < term) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const scores = (word) => {
    const found = new Map();
    for (let at = place(word); at < index.sorted.length && index.sorted[at].startsWith(word); ++at) {
      const term = index.sorted[at];
      const nearness = term === word ? 1 : 0.6 * word.length / term.length;
      const told = index.terms[term];
      for (let each = 0; each < told.length; each += 2) {
        found.set(told[each], Math.max(found.get(told[each]) || 0, told[each + 1] * nearness));
      }
    }
    return found;
  };

  const find = (words) => {
    let found = null;
    for (const word of words) {
      const next = scores(word);
      if (!found) { found = next; continue; }
      for (const [entry, score] of found) {
        if (next.has(entry)) found.set(entry, score + next.get(entry));
        else found.delete(entry);
      }
    }
    const sorted = [...(found || [])].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    // One page that says it everywhere must not hide the others.
    const told = new Map();
    return sorted.filter(([entry]) => {
      const page = index.entries[entry][0];
      told.set(page, (told.get(page) || 0) + 1);
      return told.get(page) <= OF_PAGE_MAX;
    });
  };

  const marked = (text, words) => {
    const escaped = words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, '\\$&'));
    const parts = text.split(new RegExp(`(${escaped.join('|')})`, 'iu'));
    return parts.map((part, at) => at % 2 ? make('mark', {}, part) : part);
  };

  const look = () => {
    const words = input.value.toLowerCase().match(/[\p{L}\p{N}]+(?:[_\-/.][\p{L}\p{N}]+)*/gu) || [];
    if (!index) return;
    const found = words.length ? find(words) : [];
    said.textContent = !words.length ? '' : !found.length ? `Nothing has ${words.join(' and ')}.`
      : `${found.length} ${found.length === 1 ? 'place' : 'places'}`;
    list.replaceChildren(...found.slice(0, SHOWN_MAX).map(([number]) => {
      const [page, anchor, heading, text] = index.entries[number];
      const [address, title, kind] = index.pages[page];
      const link = make('a', {href: top_ + address + (anchor ? `#${anchor}` : '')},
        make('span', {class: 'title'}, ...marked(heading || title, words)),
        make('span', {class: 'where'}, heading ? `${title} · ${kind}` : kind),
        make('span', {class: 'text'}, ...marked(text, words)));
      return make('li', {}, link);
    }));
  };

  const show = () => {
    if (!dialog.open) dialog.showModal();
    input.select();
    load();
  };

  open.hidden = false;
  open.addEventListener('click', show);
  input.addEventListener('input', look);
  // A link to a part of this same page loads nothing, so the dialog goes by itself.
  list.addEventListener('click', (event) => { if (event.target.closest('a')) dialog.close(); });
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener('keydown', (event) => {
    const links = all('a', list);
    const at = links.indexOf(document.activeElement);
    if (event.key === 'ArrowDown' && links.length) links[Math.min(at + 1, links.length - 1)].focus();
    else if (event.key === 'ArrowUp' && at >= 0) (links[at - 1] || input).focus();
    else if (event.key === 'Enter' && document.activeElement === input) links[0]?.click();
    else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const types = /^(input|textarea|select)$/i.test(document.activeElement?.tagName || '');
    const asks = (event.key === '/' && !types) || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!asks || dialog.open) return;
    event.preventDefault();
    show();
  });
}
