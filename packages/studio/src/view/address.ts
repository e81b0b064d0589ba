import { effect } from '@preact/signals';
import { type Link, linkText, parseLink } from '../link/link.js';
import { readLink } from './presentation.js';
import { attempt, draft, hash, linkTo, open, session, view } from './studio.js';

/** In milliseconds: a browser refuses more than 200 changes of the address in 10 s. */
const pause = 100;

/** What was shown when the address was written last. */
let shown: readonly unknown[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

/** Keeps the address and the page together, in both directions. */
export function followAddress(): void {
  const read = () => attempt(() => open(readLink(location.hash)));
  addEventListener('hashchange', () => {
    forget(); // the address is newer than what was to be written
    if (location.hash.slice(1) !== hash.value) void read();
  });
  void read().then(() =>
    effect(() => {
      hash.value; // what the effect depends on
      if (session.value !== shown[0] || view.value !== shown[1]) address();
      else timer ??= setTimeout(address, pause);
    }),
  );
  addEventListener('pagehide', address); // the page may be loaded again at once
}

/** Brings the address up to what is shown, with the last step. */
function address(): void {
  forget();
  shown = [session.peek(), view.peek()];
  write();
}

/** Where a studio is that others can open; undefined where nobody has said it. */
let publicAddress: string | undefined;
export const setPublicAddress = (address: string | undefined): void => {
  publicAddress = address;
};

/**
 * What leads others to what is shown. A page from a disk is not there for them: then the address
 * that it was given, or only what stands behind `#`, which the first page of a studio takes.
 */
export function shareable(other: Partial<Link> = {}): string {
  const link = linkTo();
  const shown = link && other.steps ? ofAnotherRun(link) : link;
  const fragment = shown ? `#${linkText({ ...shown, ...other })}` : '';
  const here = location.protocol === 'file:' ? publicAddress : location.href;
  return `${here?.replace(/#.*/, '') ?? ''}${fragment}`;
}

const ofAnotherRun = ({ counterexample: _, ...link }: Link): Link => link;

function forget(): void {
  clearTimeout(timer);
  timer = undefined;
}

/** Another protocol or view is an entry of the history; a step is not. */
function write(): void {
  const text = hash.peek();
  if (!(session.peek() ?? draft.peek()) || location.hash.slice(1) === text) return;
  history[isElsewhere() ? 'pushState' : 'replaceState'](undefined, '', `#${text}`);
}

function isElsewhere(): boolean {
  try {
    const before = parseLink(location.hash);
    return (
      before?.setup.protocol !== (session.peek()?.system.setup ?? draft.peek()?.setup)?.protocol ||
      before?.view !== view.peek()
    );
  } catch {
    return true; // a link that cannot be read stays behind, to be corrected
  }
}
