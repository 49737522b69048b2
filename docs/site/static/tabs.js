// Tabs (WAI-ARIA tabs pattern) of the sections in .tabs. Without this script, all sections are shown.
// Layering: uses all() and make() of site.js.
'use strict';

{
  const groups = [];  // {name, tabs}

  const select = (group, chosen) => {
    for (const tab of group.tabs) {
      const isChosen = tab.label === chosen.label;
      tab.button.setAttribute('aria-selected', isChosen);
      tab.button.tabIndex = isChosen ? 0 : -1;
      tab.panel.tabIndex = isChosen ? 0 : -1;
      // The search of the browser finds text that is hidden until it is found, and shows its tab.
      if (isChosen) tab.panel.removeAttribute('hidden');
      else tab.panel.setAttribute('hidden', 'until-found');
    }
  };

  // The reader's choice: it also applies to other tabs of this name, here and on other pages.
  const choose = (group, chosen) => {
    const before = chosen.button.getBoundingClientRect().top;
    for (const other of groups) {
      const same = other.name === group.name && other.tabs.find((tab) => tab.label === chosen.label);
      if (same) select(other, same);
    }
    scrollBy({top: chosen.button.getBoundingClientRect().top - before, behavior: 'instant'});
    try { localStorage.setItem(`eider-tabs-${group.name}`, chosen.label); } catch { /* applies to this page only */ }
  };

  const saved = (name) => {
    try { return localStorage.getItem(`eider-tabs-${name}`); } catch { return null; }
  };

  const keys = {
    ArrowRight: (at, count) => (at + 1) % count, ArrowLeft: (at, count) => (at + count - 1) % count,
    Home: () => 0, End: (at, count) => count - 1,
  };

  for (const [number, element] of all('.tabs').entries()) {
    const name = element.dataset.tabs;
    const list = make('div', {role: 'tablist', 'aria-label': `Choices: ${name}`});
    const group = {name, tabs: []};
    groups.push(group);
    for (const panel of all(':scope > .tab', element)) {
      const heading = panel.querySelector('h2, h3, h4');
      const label = [...heading.childNodes].filter((node) => !node.classList?.contains('anchor')).map((node) => node.textContent).join('').trim();
      const id = `site-tab-${number}-${group.tabs.length}`;
      const button = make('button', {type: 'button', role: 'tab', id, 'aria-controls': `${id}-panel`}, label);
      for (const [key, value] of Object.entries({role: 'tabpanel', id: `${id}-panel`, 'aria-labelledby': id})) panel.setAttribute(key, value);
      const tab = {label, panel, button};
      button.addEventListener('click', () => choose(group, tab));
      button.addEventListener('keydown', (event) => {
        if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        const next = group.tabs[keys[event.key](group.tabs.indexOf(tab), group.tabs.length)];
        choose(group, next);
        next.button.focus();
      });
      panel.addEventListener('beforematch', () => select(group, tab));
      group.tabs.push(tab);
      list.append(button);
    }
    element.prepend(list);
    element.classList.add('ready');
    select(group, group.tabs.find((tab) => tab.label === saved(name)) || group.tabs[0]);
  }

  // A link to a heading in a tab shows the tab.
  const showTarget = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (const group of groups) {
      const tab = target && group.tabs.find(({panel}) => panel.contains(target));
      if (tab) select(group, tab);
    }
    target?.scrollIntoView({behavior: 'instant'});
  };
  addEventListener('hashchange', showTarget);
  if (location.hash) showTarget();
}
