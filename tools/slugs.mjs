/** Anchors as GitHub makes them, so that a link works there and here. */

const slugOf = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');

/** The slugs of the headings of one document, in order: one that comes again gets a number. */
export function slugger() {
  const used = new Map();
  return (text) => {
    const slug = slugOf(text);
    let unique = slug;
    while (used.has(unique)) {
      used.set(slug, used.get(slug) + 1);
      unique = `${slug}-${used.get(slug)}`;
    }
    used.set(unique, 0);
    return unique;
  };
}

/** The anchors of a Markdown text. */
export function anchorsIn(text) {
  const slug = slugger();
  const headings = text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.*)$/gm);
  return new Set([...headings].map(([, heading]) => slug(heading.replace(/\]\([^)]*\)/g, ''))));
}
