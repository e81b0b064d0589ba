/* Search, live runs, and what of the navigation is shown. The site can be read without this script. */
(() => {
  for (const frame of document.querySelectorAll('iframe[data-src]'))
    frame.closest('details').addEventListener('toggle', () => {
      if (!frame.src) frame.src = frame.dataset.src;
    });

  const menu = document.querySelector('nav.menu');
  const here = menu?.querySelector('[aria-current]');
  if (here && here.offsetTop > menu.clientHeight - 80)
    menu.scrollTop = here.offsetTop - menu.clientHeight / 2;

  const script = document.currentScript;
  const indexAddress = new URL(script.dataset.index, location.href);
  const box = document.querySelector('.search');
  const input = box?.querySelector('input');
  if (!box || !input) return;
  const shown = 12;

  const list = document.createElement('ul');
  list.id = 'found';
  list.className = 'found';
  list.hidden = true;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Found');
  const status = document.createElement('p');
  status.className = 'unseen';
  status.setAttribute('role', 'status');
  box.append(list, status);
  box.hidden = false;
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-controls': list.id,
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
  }))
    input.setAttribute(name, value);

  let sections;
  let chosen = -1;

  /** A script, since a page that was opened from disk may not fetch. */
  const load = () => {
    if (sections) return;
    sections = [];
    const file = document.createElement('script');
    file.src = indexAddress.href;
    file.onload = () => {
      sections = globalThis.conclaveIndex;
      search();
    };
    document.head.append(file);
  };

  const search = () => {
    chosen = -1;
    const found = sections ? findSections(sections, input.value) : [];
    show(found.slice(0, shown), wordsOf(input.value));
    status.textContent = input.value && sections?.length ? `${found.length} found` : '';
  };

  const show = (found, words) => {
    list.replaceChildren(...found.map((section, index) => row(section, words, index)));
    if (found.length === 0 && words.length > 0 && sections?.length) {
      const none = document.createElement('li');
      none.className = 'none';
      none.textContent = 'Nothing found';
      list.append(none);
    }
    list.hidden = words.length === 0 || !sections?.length;
    input.setAttribute('aria-expanded', String(!list.hidden));
    input.removeAttribute('aria-activedescendant');
  };

  const row = ([url, page, heading, text], [first], index) => {
    const item = document.createElement('li');
    item.id = `found-${index}`;
    item.setAttribute('role', 'option');
    const link = document.createElement('a');
    link.href = new URL(url, indexAddress).href;
    link.className = 'hit';
    link.tabIndex = -1;
    const title = document.createElement('strong');
    title.textContent = heading || page;
    const where = document.createElement('span');
    where.className = 'where';
    where.textContent = heading ? page : '';
    const excerpt = document.createElement('p');
    excerpt.className = 'excerpt';
    const at = Math.max(0, text.toLowerCase().indexOf(first) - 40);
    excerpt.textContent = (at > 0 ? '… ' : '') + text.slice(at, at + 130);
    link.append(title, where, excerpt);
    item.append(link);
    return item;
  };

  const choose = (index) => {
    const items = [...list.querySelectorAll('[role=option]')];
    if (items.length === 0) return;
    chosen = (index + items.length) % items.length;
    for (const [place, item] of items.entries())
      item.setAttribute('aria-selected', String(place === chosen));
    input.setAttribute('aria-activedescendant', items[chosen].id);
    items[chosen].scrollIntoView({ block: 'nearest' });
  };

  const close = () => {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
  };

  input.addEventListener('focus', () => {
    load();
    search();
  });
  input.addEventListener('input', search);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Enter') list.querySelectorAll('a')[Math.max(chosen, 0)]?.click();
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  list.addEventListener('click', close);
  document.addEventListener('click', (event) => {
    if (!box.contains(event.target)) close();
  });
  document.addEventListener('keydown', (event) => {
    if (
      event.key !== '/' ||
      event.ctrlKey ||
      event.metaKey ||
      /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '')
    )
      return;
    event.preventDefault();
    input.focus();
  });

  const links = new Map(
    [...document.querySelectorAll('.contents a')].map((link) => [
      decodeURIComponent(link.hash.slice(1)),
      link,
    ]),
  );
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const mark = () => {
    const read =
      headings.findLast((heading) => heading.getBoundingClientRect().top < 120) ?? headings[0];
    for (const [id, link] of links)
      if (id === read?.id) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
  };
  if (headings.length > 0) {
    addEventListener('scroll', mark, { passive: true });
    mark();
  }
})();
