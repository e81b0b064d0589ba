/* Search, live runs, and what of the navigation is shown. The site can be read without this script. */
{
  const shown = 12;

  /** An element with attributes and children. */
  const element = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };

  /** The box of the search, and the list below it. */
  class Search {
    #index;
    #input;
    #list = element('ul', { id: 'found', class: 'found', role: 'listbox', 'aria-label': 'Found' });
    #status = element('p', { class: 'unseen', role: 'status' });
    #sections;
    #chosen = -1;

    /** @param index the address of what is searched */
    constructor(box, input, index) {
      this.#index = index;
      this.#input = input;
      this.#close();
      box.append(this.#list, this.#status);
      box.hidden = false;
      for (const [name, value] of Object.entries({
        role: 'combobox',
        'aria-controls': this.#list.id,
        'aria-autocomplete': 'list',
      }))
        input.setAttribute(name, value);
      input.addEventListener('focus', () => {
        this.#load();
        this.#search();
      });
      input.addEventListener('input', () => this.#search());
      input.addEventListener('keydown', (event) => this.#onKey(event));
      this.#list.addEventListener('click', () => this.#close());
      document.addEventListener('click', (event) => {
        if (!box.contains(event.target)) this.#close();
      });
      document.addEventListener('keydown', (event) => {
        const isWriting = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
        if (event.key !== '/' || event.ctrlKey || event.metaKey || isWriting) return;
        event.preventDefault();
        input.focus();
      });
    }

    /** A script, since a page that was opened from disk may not fetch. */
    #load() {
      if (this.#sections) return;
      this.#sections = [];
      const file = element('script', { src: this.#index.href });
      file.onload = () => {
        this.#sections = globalThis.conclaveIndex;
        this.#search();
      };
      document.head.append(file);
    }

    #search() {
      this.#chosen = -1;
      const { value } = this.#input;
      const found = this.#sections ? findSections(this.#sections, value) : [];
      this.#show(found.slice(0, shown), wordsOf(value));
      this.#status.textContent = value && this.#sections?.length ? `${found.length} found` : '';
    }

    #show(found, words) {
      const canFind = words.length > 0 && this.#sections?.length > 0;
      this.#list.replaceChildren(
        ...found.map((section, index) => this.#row(section, words, index)),
      );
      if (found.length === 0 && canFind)
        this.#list.append(element('li', { class: 'none' }, 'Nothing found'));
      this.#list.hidden = !canFind;
      this.#input.setAttribute('aria-expanded', String(canFind));
      this.#input.removeAttribute('aria-activedescendant');
    }

    #row([url, page, heading, text], [first], index) {
      const at = Math.max(0, text.toLowerCase().indexOf(first) - 40);
      const excerpt = (at > 0 ? '… ' : '') + text.slice(at, at + 130);
      const { href } = new URL(url, this.#index);
      return element(
        'li',
        { id: `found-${index}`, role: 'option' },
        element(
          'a',
          { href, class: 'hit', tabindex: '-1' },
          element('strong', {}, heading || page),
          element('span', { class: 'where' }, heading ? page : ''),
          element('p', { class: 'excerpt' }, excerpt),
        ),
      );
    }

    #onKey(event) {
      if (event.key === 'ArrowDown') this.#choose(this.#chosen + 1);
      else if (event.key === 'ArrowUp') this.#choose(this.#chosen - 1);
      else if (event.key === 'Enter')
        this.#list.querySelectorAll('a')[Math.max(this.#chosen, 0)]?.click();
      else if (event.key === 'Escape') this.#close();
      else return;
      event.preventDefault();
    }

    #choose(index) {
      const items = [...this.#list.querySelectorAll('[role=option]')];
      if (items.length === 0) return;
      this.#chosen = (index + items.length) % items.length;
      for (const [place, item] of items.entries())
        item.setAttribute('aria-selected', String(place === this.#chosen));
      this.#input.setAttribute('aria-activedescendant', items[this.#chosen].id);
      items[this.#chosen].scrollIntoView({ block: 'nearest' });
    }

    #close() {
      this.#list.hidden = true;
      this.#input.setAttribute('aria-expanded', 'false');
    }
  }

  /** A live run is loaded when a reader opens it. */
  const loadRuns = () => {
    for (const frame of document.querySelectorAll('iframe[data-src]'))
      frame.closest('details').addEventListener('toggle', () => {
        if (!frame.src) frame.src = frame.dataset.src;
      });
  };

  /** The menu shows the entry of this page. */
  const scrollMenu = () => {
    const menu = document.querySelector('nav.menu');
    const here = menu?.querySelector('[aria-current]');
    if (here && here.offsetTop > menu.clientHeight - 80)
      menu.scrollTop = here.offsetTop - menu.clientHeight / 2;
  };

  /** The contents mark the heading that is read. */
  const markContents = () => {
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
    if (headings.length === 0) return;
    addEventListener('scroll', mark, { passive: true });
    mark();
  };

  const index = new URL(document.currentScript.dataset.index, location.href);
  const box = document.querySelector('.search');
  const input = box?.querySelector('input');
  loadRuns();
  scrollMenu();
  if (input) new Search(box, input, index);
  markContents();
}
