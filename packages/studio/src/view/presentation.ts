/**
 * What a presentation shows beside a world: notes, the stations of its script, nothing at all. A
 * script is a list of links, which the keys of a remote go through.
 */
import { signal } from '@preact/signals';
import { type Link, linkText, type Notes, parseLink } from '../link/link.js';
import type { Session } from '../model/session.js';
import { lecture } from './catalogue/lecture.js';
import { takeLanguage } from './preferences.js';
import { attempt, frame, open } from './studio.js';

/** The one script that each page knows. */
const known = 'lecture';

/** Reads what stands behind `#`: a link, or the name of the lecture; its language is that of the page. */
export function readLink(text: string): Link | undefined {
  takeLanguage(text);
  const isKnown = text.replace(/^#\/?/, '').split('?')[0] === known;
  const link = isKnown ? lecture[0]?.link : parseLink(text);
  const script = isKnown ? { station: 0, links: [known] } : link?.script;
  return link && script ? { as: 'presentation', ...link, script } : link;
}

const linksOf = ({ links }: NonNullable<Link['script']>): readonly string[] =>
  links.join() === known ? lecture.map(({ link }) => linkText(link)) : links;

/** Which station of its script a presentation shows, from 1; undefined without a script. */
export function stationText(): string | undefined {
  const { as, script } = frame.value;
  return as && script && `${script.station + 1} / ${linksOf(script).length}`;
}

/** The link that is so many stations further in the script, if there is one. */
function station(by: 1 | -1): Link | undefined {
  const { as, script } = frame.value;
  if (!as || !script) return undefined;
  const place = script.station + by;
  const link = parseLink(linksOf(script)[place] ?? '');
  if (!link) return undefined;
  const at = by < 0 ? link.steps.length : 0;
  return { ...link, as, at, script: { ...script, station: place } };
}

export const canGoBack = ({ now }: Session): boolean =>
  now.value.step !== undefined || station(-1) !== undefined;

export const canGoOn = ({ now, tip, loop }: Session): boolean =>
  now.value !== tip.value || loop.value !== undefined || station(1) !== undefined;

/** One step back; at the beginning, to the end of the station before. */
export function goBack(session: Session): void {
  const before = session.now.value.step ? undefined : station(-1);
  if (before) void attempt(() => open(before));
  else session.back();
}

/** One step on; at the end of a run, to the next station of its script. */
export function goOn(session: Session): void {
  const next = session.now.value === session.tip.value ? station(1) : undefined;
  if (next) void attempt(() => open(next));
  else session.forward();
}

export type Panel = NonNullable<Link['panels']>[number];

export const usualPanels: readonly Panel[] = ['network', 'chart'];

/** The note on the world after so many steps; one stays until the next. */
export function noteAt(notes: Notes, depth: number): string | undefined {
  const before = Object.keys(notes).filter((step) => Number(step) <= depth);
  return before.length === 0 ? undefined : notes[Math.max(...before.map(Number))];
}

/** With another note on the world after so many steps; an empty text is none. */
export function withNote(notes: Notes, depth: number, text: string): Notes {
  const { [depth]: _, ...others } = notes;
  return text.trim() === '' ? others : { ...others, [depth]: text };
}

/** Whether a presentation shows nothing: then the hall looks at the one who speaks. */
export const blank = signal(false);

/** Blanks the screen by B and the point, and shows it again by any key; says whether it did. */
export function blanks(key: string): boolean {
  const isBlank = blank.value;
  blank.value = !isBlank && frame.value.as === 'presentation' && /^[bB.]$/.test(key);
  return isBlank || blank.value;
}

/** Back to the whole studio; where it is a presentation. Says whether it was one. */
export function leave(): boolean {
  const { as, ...others } = frame.value;
  if (as !== 'presentation') return false;
  frame.value = others;
  if (document.fullscreenElement) void document.exitFullscreen();
  return true;
}
