import { badInput } from '../../base/error.js';
import { listed } from '../../judge/blame.js';
import type { NodeView } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import { stateNodes } from '../../protocol/state-nodes.js';
import type { Budget } from './budget.js';

const isForbidden = (place: string): boolean => place.startsWith('!');
const nameOf = (place: string): string => place.replace(/^!/, '');

/** Whether a node may crash where it is; undefined where each may. */
export function crashCondition({
  mayCrash,
}: Pick<Budget, 'mayCrash'>): ((node: NodeView) => boolean) | undefined {
  if (mayCrash === undefined || typeof mayCrash === 'function') return mayCrash;
  const [forbidden, allowed] = [
    mayCrash.filter(isForbidden),
    mayCrash.filter((place) => !isForbidden(place)),
  ];
  return (node) => {
    const isAt = (place: string) =>
      node.role === nameOf(place) || [...node.tags].includes(nameOf(place));
    return !forbidden.some(isAt) && (allowed.length === 0 || allowed.some(isAt));
  };
}

/** All tags of a protocol. */
export const tagsOf = ({ roles }: Protocol): readonly string[] => [
  ...new Set(
    Object.values(roles).flatMap(({ machine }) => stateNodes(machine).flatMap(({ tags }) => tags)),
  ),
];

/** @throws {ConclaveError} `bad-input` for a place that is neither a tag nor a role. */
export function checkCrashPlaces(protocol: Protocol, { mayCrash }: Pick<Budget, 'mayCrash'>): void {
  if (mayCrash === undefined || typeof mayCrash === 'function') return;
  const [tags, roles] = [tagsOf(protocol), Object.keys(protocol.roles)];
  const unknown = mayCrash.find((place) => ![...tags, ...roles].includes(nameOf(place)));
  if (mayCrash.length === 0 || unknown !== undefined)
    throw badInput(
      unknown === undefined
        ? 'mayCrash is an empty list'
        : `'${nameOf(unknown)}' is no tag and no role of '${protocol.name}'`,
      `There are the tags ${tags.join(', ')} and the roles ${roles.join(', ')}.`,
    );
}

/** Where nodes may crash, to complete the sentence 'It assumes …'. */
export function crashesAssumed({ mayCrash }: Pick<Budget, 'mayCrash'>): readonly string[] {
  if (mayCrash === undefined) return [];
  if (typeof mayCrash === 'function') return ['that nodes crash only where mayCrash lets them'];
  return [`that nodes crash only ${crashPlacesText(mayCrash)}`];
}

/** `where they are critical or waiting, and not coordinator` */
export function crashPlacesText(places: readonly string[]): string {
  const quoted = (some: readonly string[]) =>
    listed(
      some.map((place) => `'${nameOf(place)}'`),
      'or',
    );
  const [forbidden, allowed] = [
    places.filter(isForbidden),
    places.filter((place) => !isForbidden(place)),
  ];
  return [
    ...(allowed.length === 0 ? [] : [`where they are ${quoted(allowed)}`]),
    ...(forbidden.length === 0 ? [] : [`where they are not ${quoted(forbidden)}`]),
  ].join(' and ');
}
