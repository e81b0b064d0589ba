/**
 * Keeps the address of the page and what it shows together, in both directions: a reader can copy the
 * address at any moment, and go back.
 *
 * A run that is played changes what is shown many times a second, and a browser refuses more than 200
 * changes of an address in 10 s. So a step is written after a pause; a new session or view at once.
 * An address that the reader opens meanwhile is newer than what waits: that is never written.
 */
import { effect } from '@preact/signals';
import { type Link, linkText, parseLink } from '../link/link.js';
import { readLink } from './presentation.js';
import { attempt, draft, hash, linkTo, open, session, view } from './studio.js';

/** How long a step waits until it is written, in milliseconds. */
const pause = 100;

/** The session and the view that were shown when the address was written last. */
let written: { readonly session?: unknown; readonly view?: unknown } = {};
let pendingWrite: ReturnType<typeof setTimeout> | undefined;

/** Keeps the address and the page together, in both directions. */
export function followAddress(): void {
  const read = () => attempt(() => open(readLink(location.hash)));
  addEventListener('hashchange', () => {
    cancelWrite();
    if (location.hash.slice(1) !== hash.value) void read();
  });
  void read().then(() =>
    effect(() => {
      hash.value; // what the effect depends on
      const isStep = session.value === written.session && view.value === written.view;
      if (isStep) pendingWrite ??= setTimeout(writeIfNoOther, pause, location.hash);
      else writeAddress();
    }),
  );
  addEventListener('pagehide', writeAddress); // the page may be loaded again at once
}

/** Not where the reader has opened another address than `before`, and the page is not told yet. */
function writeIfNoOther(before: string): void {
  if (location.hash === before) writeAddress();
  else cancelWrite();
}

/** Writes what is shown now, with the last step. Another protocol or view can be gone back from. */
function writeAddress(): void {
  cancelWrite();
  written = { session: session.peek(), view: view.peek() };
  const text = hash.peek();
  const isCatalogue = !(session.peek() ?? draft.peek());
  if (isCatalogue || location.hash.slice(1) === text) return;
  history[isElsewhere() ? 'pushState' : 'replaceState'](undefined, '', `#${text}`);
}

function cancelWrite(): void {
  clearTimeout(pendingWrite);
  pendingWrite = undefined;
}

/** Whether the address that stands there is of another protocol or view. */
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
