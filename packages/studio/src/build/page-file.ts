/** The page with the catalogue, as this package ships it. */
export const pageUrl = new URL('../../dist/studio.html', import.meta.url);
