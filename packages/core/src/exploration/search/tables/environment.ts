import type { NodeId } from '../../../protocol/node.js';
import type { Action, World } from '../../worlds/world.js';
import * as allowed from '../kernel/format/allowed.js';
import type * as events from '../kernel/format/events.js';

/** The rest of a world: the remaining budget of faults, the cut, and open choices. */
export type Environment = Pick<World, 'cut' | 'choosing' | 'starting'> & {
  readonly remaining: Omit<World['remaining'], 'commands' | 'fulfilled'>;
};

/** Without budget, cut and open choices. */
export const emptyEnvironment: Environment = {
  remaining: { losses: 0, duplications: 0, crashes: 0, restarts: 0, partitions: 0 },
  cut: [],
  choosing: [],
};

export function environmentOf({ cut, choosing, starting, remaining }: World): Environment {
  const { losses, duplications, crashes, restarts, partitions } = remaining;
  return {
    remaining: { losses, duplications, crashes, restarts, partitions },
    cut,
    choosing,
    ...(starting && { starting }),
  };
}

/** An event that changes the environment. */
export type EnvironmentEvent =
  | { readonly type: keyof typeof events }
  /** A crash closes the open choices of its node. */
  | { readonly type: 'close'; readonly node: NodeId }
  | { readonly type: 'ask'; readonly asked: World['choosing'] };

const spent = {
  loss: 'losses',
  duplication: 'duplications',
  crash: 'crashes',
  restart: 'restarts',
} as const;

export function afterEvent(environment: Environment, happening: EnvironmentEvent): Environment {
  const { remaining, choosing } = environment;
  if (happening.type === 'ask')
    // the choices that an answer leads to come first
    return { ...environment, choosing: [...happening.asked, ...choosing] };
  if (happening.type === 'answer')
    return afterStart({ ...environment, choosing: choosing.slice(1) }, choosing[0]?.node);
  if (happening.type === 'close')
    return { ...environment, choosing: choosing.filter(({ node }) => node !== happening.node) };
  if (happening.type === 'begin') return afterStart(environment);
  const what = spent[happening.type];
  const next = { ...environment, remaining: { ...remaining, [what]: remaining[what] - 1 } };
  return next.remaining.crashes > 0 ? next : afterStart(next);
}

/** Where `node`, or no node given, is no longer in the middle of its start. */
function afterStart({ starting, ...environment }: Environment, node?: NodeId): Environment {
  const left = node === undefined ? [] : starting?.filter((id) => id !== node);
  return left && left.length > 0 ? { ...environment, starting: left } : environment;
}

/** The actions that change the environment only. */
export const changesTheNetwork = ({ type }: Action): boolean => type === 'split' || type === 'heal';

/** What the environment allows, as bits. */
export function permits({ remaining, cut, starting }: Environment): number {
  const bits: readonly (readonly [boolean, number])[] = [
    [remaining.losses > 0, allowed.lose],
    [remaining.duplications > 0, allowed.duplicate],
    [remaining.crashes > 0, allowed.crash],
    [remaining.restarts > 0, allowed.restart],
    [cut.length > 0, allowed.cut],
    [cut.length > 0 || remaining.partitions > 0, allowed.change],
    [starting !== undefined, allowed.begin],
  ];
  return bits.reduce((sum, [is, bit]) => (is ? sum | bit : sum), 0);
}
