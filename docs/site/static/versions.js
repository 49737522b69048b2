// The versions of the site that are published next to this one, from versions.json in the folder above the site.
// Without the file, or with an invalid one, the header shows only the version of this site.
// Layering: uses all(), make() and top_ of site.js.
'use strict';

{
  const place = document.querySelector('.version');
  const own = place.dataset.version;
  const root = `${top_}../`;
  const page = document.body.dataset.address.replace(/(^|\/)index\.html$/, '$1');

  // {latest, versions} of the file; names of folders only.
  const read = ({latest, versions}) => {
    const isName = (text) => typeof text === 'string' && /^[0-9A-Za-z][\w.+-]*$/.test(text);
    if (!Array.isArray(versions) || !versions.every(isName) || !versions.includes(latest)) throw new Error('versions.json is invalid');
    return {latest, versions: versions.includes(own) ? versions : [own, ...versions]};
  };

  const homeOf = (version, latest) => `${root}${version === latest ? 'latest' : encodeURIComponent(version)}/`;

  // A page that another version does not have leads to the home page of that version.
  const check = async (link) => {
    const response = await fetch(link.href, {method: 'HEAD'}).catch(() => null);
    if (!response?.ok) link.href = link.dataset.home;
  };

  const linkTo = (version, latest, text) => {
    const home = homeOf(version, latest);
    return make('a', {href: home + page, 'data-home': home}, text);
  };

  const show = ({latest, versions}) => {
    const links = versions.map((version) => {
      const link = linkTo(version, latest, version === latest ? `${version} (latest)` : version);
      if (version === own) {
        link.setAttribute('aria-current', 'true');
        link.href = '';
      }
      return link;
    });
    const details = make('details', {},
      make('summary', {'aria-label': `Version ${own}. Choose another version`}, own),
      make('ul', {}, ...links.map((link) => make('li', {}, link))));
    details.addEventListener('toggle', () => {
      if (details.open) for (const link of links) if (!link.hasAttribute('aria-current')) check(link);
    }, {once: true});
    document.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !details.open) return;
      if (details.contains(document.activeElement)) details.querySelector('summary').focus();
      details.open = false;
    });
    document.addEventListener('click', (event) => { if (!details.contains(event.target)) details.open = false; });
    details.addEventListener('focusout', (event) => {
      if (event.relatedTarget && !details.contains(event.relatedTarget)) details.open = false;
    });
    place.replaceChildren(details);

    if (own === latest || versions[0] === own) return;
    const link = linkTo(latest, latest, `Open it for ${latest}, the latest version`);
    check(link);
    document.querySelector('main').prepend(make('p', {class: 'note outdated'}, `This page is about Eider ${own}. `, link, '.'));
  };

  // Relative links of the page work in all versions, since each version is a folder.
  if (/^https?:$/.test(location.protocol)) {
    fetch(`${root}versions.json`).then((response) => (response.ok ? response.json() : null))
      .then((file) => { if (file) show(read(file)); })
      .catch((failure) => console.warn(`versions.json: ${failure.message}`));
  }
}
