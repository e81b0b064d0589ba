/** The sign of the project, as in the studio: a key, for cum clave; three nodes make its bow. */
const drawn = (colour) =>
  `<g fill="${colour}" stroke="${colour}" stroke-width="1.6" stroke-linecap="round"><path d="M10 10v8M10 14h3.5M10 17.5h2.5"/><path d="M5 7.5 10 2.5l5 5z" fill="none"/><circle cx="10" cy="2.8" r="2.1"/><circle cx="5" cy="7.8" r="2.1"/><circle cx="15" cy="7.8" r="2.1"/></g>`;

/** In a page. */
export const mark = `<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">${drawn('currentColor')}</svg>`;

/** In the browser's tab: a colour that is seen on light and on dark. */
export const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">${drawn('#6d7de0')}</svg>`)}`;
