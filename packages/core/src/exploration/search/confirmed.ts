import type { Search } from './search.js';
import { LimitReached } from './watch.js';

/** A complete search once `confirm` has run; an incomplete one where a limit is reached meanwhile. */
export function confirmed(found: Search, confirm: () => void): Search {
  if (!found.complete) return found;
  try {
    confirm();
    return found;
  } catch (reached) {
    if (reached instanceof LimitReached) return { ...found, complete: false, limit: reached.limit };
    throw reached;
  }
}
