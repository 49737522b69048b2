// Color scheme, copy buttons, the menu and the search dialog. Pages can be read without it.
'use strict';

const top_ = document.body.dataset.top;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

// Color scheme: system, light, dark.
{
  const button = document.querySelector('.theme');
  const root = document.documentElement;
  const choices = ['', 'light', 'dark'];
  const label = () => {
    const name = `Color scheme: ${root.dataset.colors || 'system'}`;
    button.setAttribute('aria-label', name);
    button.title = name;
  };
  button.hidden = false;
  label();
  button.addEventListener('click', () => {
    const next = choices[(choices.indexOf(root.dataset.colors || '') + 1) % choices.length];
    if (next) root.dataset.colors = next;
    else delete root.dataset.colors;
    label();
    try { localStorage.setItem('eider-colors', next); } catch { /* applies to this page only */ }
  });
}

// Copy buttons.
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

// The menu shows the current page; the list of sections shows the current section.
const showCurrent = () => document.querySelector('.side [aria-current]')?.scrollIntoView({block: 'center'});
showCurrent();
scrollTo(scrollX, location.hash ? scrollY : 0);

// On narrow screens the menu covers the page: Escape closes it and returns to its button.
{
  const state = document.querySelector('.menu-state');
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !state?.checked) return;
    state.checked = false;
    state.focus();
  });
  state?.addEventListener('change', showCurrent);
  state?.addEventListener('keydown', (event) => { if (event.key === 'Enter') state.click(); });
}

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

// The search dialog; search.js finds the sections.
{
  const dialog = document.querySelector('dialog.search');
  const input = dialog.querySelector('input');
  const status = dialog.querySelector('.status');
  const list = dialog.querySelector('#site-found');
  const open = document.querySelector('.search-open');
  const SHOWN_MAX = 30;
  let index = null;
  let find = null;

  const load = async () => {
    if (index) return;
    status.textContent = 'Loading the index …';
    try {
      const response = await fetch(`${top_}search.json`);
      if (!response.ok) throw new Error(`${response.status}`);
      index = await response.json();
      find = makeSearch(index);
      status.textContent = '';
      look();
    } catch {
      status.textContent = location.protocol === 'file:'
        ? 'Browsers cannot load the search index from a file. Run ./docs/build --serve 8000 to search.'
        : 'Cannot load the search index (search.json).';
    }
  };

  const marked = (text, words) => {
    const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
    const parts = text.split(new RegExp(`(${escaped.join('|')})`, 'iu'));
    return parts.map((part, at) => at % 2 ? make('mark', {}, part) : part);
  };

  const statusOf = (text, result) => {
    const count = result.entries.length;
    if (!count) return `No results for "${text}".`;
    const shown = `${count} ${count === 1 ? 'result' : 'results'}`;
    if (result.isPartial) return `No page has all of these words. ${shown} with some of them`;
    return result.corrected ? `Did you mean "${result.corrected}"? ${shown}` : shown;
  };

  const look = () => {
    const text = input.value.trim();
    if (!find) return;
    const result = text ? find(text) : {entries: [], words: []};
    status.textContent = text ? statusOf(text, result) : '';
    const words = result.words.filter((word) => !index.common.includes(word));
    list.replaceChildren(...result.entries.slice(0, SHOWN_MAX).map((number) => {
      const [page, anchor, heading, excerpt] = index.entries[number];
      const [address, title, kind] = index.pages[page];
      const mark = (shown) => words.length ? marked(shown, words) : [shown];
      const link = make('a', {href: top_ + address + (anchor ? `#${anchor}` : '')},
        make('span', {class: 'title'}, ...mark(heading || title)),
        make('span', {class: 'where'}, heading ? `${title} · ${kind}` : kind),
        make('span', {class: 'text'}, ...mark(excerpt)));
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
  // A link to a section of the current page loads nothing, so close the dialog here.
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
