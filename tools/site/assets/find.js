/* What the search finds. The site's script begins with this; a test runs it, too. */

/**
 * The sections in which all words of a query occur, the best first: [address, page, heading, text].
 * A word counts most in a title, and more at the beginning of a word than within one.
 */
// biome-ignore lint/correctness/noUnusedVariables: the script after this one calls it
function findSections(sections, query) {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ section }) => section);
}

function wordsOf(query) {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

function scoreOf([address, page, heading, text], words) {
  const scores = words.map(
    (word) => 8 * placeOf(heading || page, word) + 4 * placeOf(page, word) + placeOf(text, word),
  );
  if (scores.includes(0)) return 0;
  const sum = scores.reduce((sum, score) => sum + score, heading ? 0 : 1);
  // how something is used comes first, and why it was decided last
  if (address.includes('/decisions/')) return sum / 2;
  return address.startsWith('docs/') ? 1.25 * sum : sum;
}

/** 2 at the beginning of a word, 1 within one, 0 nowhere. */
function placeOf(text, word) {
  const lower = text.toLowerCase();
  let best = 0;
  for (let at = lower.indexOf(word); at >= 0 && best < 2; at = lower.indexOf(word, at + 1))
    best = at === 0 || !/[\p{L}\p{N}]/u.test(lower[at - 1]) || !/^[\p{L}\p{N}]/u.test(word) ? 2 : 1;
  return best;
}
