/**
 * What a crash in the middle of a step leaves of what the step was sending, and what it leaves of
 * the node.
 */
import type { Send } from '../../../protocol/effects.js';
import { type LiveNode, type Local, textOf } from './live-node.contract.js';

/** Which of the sends of a step leave before the crash: each distinct part once. */
type Parts = (sends: readonly Send[], order: 'fifo' | 'any') => readonly (readonly Send[])[];

/** What happens to a node that goes down. */
export interface Crashes {
  readonly parts: Parts;
  readonly down: (node: LiveNode, local: Local) => Local;
}

/** Any part of the sends; on a `fifo` channel no message without those before it. */
const anyPart: Parts = (sends, order) => {
  const subsets = sends.reduce<readonly (readonly Send[])[]>(
    (known, sent) => known.flatMap((kept) => [[...kept, sent], kept]),
    [[]],
  );
  const keepsOrder = (kept: readonly Send[]) =>
    !sends.some(
      (lost, index) =>
        !kept.includes(lost) &&
        sends.slice(index).some((later) => later.to === lost.to && kept.includes(later)),
    );
  const possible = order === 'fifo' ? subsets.filter(keepsOrder) : subsets;
  return [...new Map(possible.map((kept) => [kept.map(textOf).sort().join(), kept])).values()];
};

/** A node goes down at any instant. What it has stored survives. */
export const anyInstant: Crashes = { parts: anyPart, down: (node, local) => node.down(local) };

/** Wrong: as if one channel waited for the other. */
export const oneAfterTheOther: Crashes = {
  ...anyInstant,
  parts: (sends) => [[], ...sends.map((_, index) => sends.slice(0, index + 1))],
};

/** Wrong: as if nothing were stored. */
export const forgetful: Crashes = { ...anyInstant, down: (node) => node.down(node.start().after) };

/** Wrong: as if a step stored its state only after it has sent. */
export const nothingInside: Crashes = { ...anyInstant, parts: (sends) => [sends] };
