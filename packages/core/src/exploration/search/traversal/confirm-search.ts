import { LimitReached } from '../limits/watch.js';
import type { Search } from './search.js';

/** Runs `confirm` after a complete search; the search is incomplete if that reaches a limit. */
export function confirmSearch(found: Search, confirm: () => void): Search {
  if (!found.complete) return found;
  try {
    confirm();
    return found;
  } catch (reached) {
    if (reached instanceof LimitReached) return { ...found, complete: false, limit: reached.limit };
    throw reached;
  }
}
