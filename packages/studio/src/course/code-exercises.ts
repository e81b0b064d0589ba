/**
 * Exercises in which students write code: data, so that a teacher adds some of another file. The
 * page has none of them as they stand here: a solution is in `mutants` and `holes`. What it gets is
 * `PageExercise`, which the build makes.
 */
import type { Setup } from '../link/link.js';
import type { Text } from '../texts/say.js';

/** A system on which a submission is explored. */
export interface GradedSystem {
  readonly topology: string;
  readonly budget?: Setup['budget'];
}

export interface CodeExercise {
  /**
   * `mend`: a chart with one mistake becomes right. `write`: the rules of some states are missing.
   * `say`: properties tell the protocol from mutants of it.
   */
  readonly kind: 'mend' | 'write' | 'say';
  /** Also the name of the student's file. */
  readonly name: string;
  readonly lab: number;
  readonly protocol: string;
  readonly role: string;
  readonly goal: string;
  readonly minutes: number;
  /** Each says more than the one before. */
  readonly hints: readonly string[];
  /** The ids of mutants of the protocol. `mend`: the one to mend. `say`: those to be noticed. */
  readonly mutants?: readonly string[];
  /** `say`: mutants that are right in another way. The properties must be true of them, too. */
  readonly alsoRight?: readonly string[];
  /** `write`: the states whose rules are missing, such as `passive.asleep`. */
  readonly holes?: readonly string[];
  /** Hidden from the students, the smallest first. */
  readonly systems: readonly GradedSystem[];
}

export const pointsOf = ({ kind, mutants = [], systems }: CodeExercise): number =>
  kind === 'say' ? mutants.length : systems.length;

const entries = (topology: string, commands = 1) => ({ topology, budget: { commands } });

/** The exercises of the course in which students write code. What they read is in the table of texts. */
export const codeExercises: readonly (CodeExercise & {
  readonly goal: Text;
  readonly hints: readonly Text[];
})[] = [
  {
    ...{ kind: 'mend', name: 'mend-ricart-agrawala', lab: 1, minutes: 20 },
    ...{ protocol: 'ricart-agrawala', role: 'node' },
    goal: 'Nodes that want to enter wait forever. Mend the chart, so that each enters, and only one at a time.',
    hints: [
      'Check it, and look at the last step before nobody moves: who waits for whose reply?',
      'Both defer. Only one of two requests may be deferred: which?',
      'The rule for a younger request is there, but it is never reached.',
    ],
    mutants: ['wanted: request #1 drop-guard'],
    systems: [entries('complete:2'), entries('complete:2', 2), entries('complete:3')],
  },
  {
    ...{ kind: 'mend', name: 'mend-central-coordinator', lab: 2, minutes: 20 },
    ...{ protocol: 'central-coordinator', role: 'coordinator' },
    goal: 'A client that has asked is forgotten. Mend the coordinator, so that each client gets its turn.',
    hints: [
      'Check it with two clients that both want to enter.',
      'What should the coordinator do when a client leaves, and what does it do?',
      'It is free only if nobody is in its queue.',
    ],
    mutants: ['coordinator busy: released #1 drop-guard'],
    systems: [entries('star:3'), entries('star:3', 2), entries('star:4')],
  },
  {
    ...{ kind: 'say', name: 'say-ricart-agrawala', lab: 1, minutes: 30 },
    ...{ protocol: 'ricart-agrawala', role: 'node' },
    goal: 'Say what a lock must do, so that a check notices when it does not: properties that are true of the protocol, and not of its mutants.',
    hints: [
      'What must never happen? always(…) or never(…) over the tags of all nodes.',
      'What must happen to a node that waits? leadsTo(…) from the tag waiting to the tag critical.',
      'A lock that nobody enters is safe, too: sometimes(…).',
    ],
    mutants: [
      'wanted: request #1 drop-guard',
      'released: request witness drop-action',
      'released: acquire ignore',
      'wanted: reply ignore',
      'held: release replyDeferred drop-action',
    ],
    alsoRight: [
      'released: request witness duplicate-action',
      'held: request witness duplicate-action',
    ],
    systems: [entries('complete:2'), entries('complete:2', 2)],
  },
  {
    ...{ kind: 'say', name: 'say-lelann-chang-roberts', lab: 4, minutes: 30 },
    ...{ protocol: 'lelann-chang-roberts', role: 'node' },
    goal: 'Say what an election must do: properties that are true of the protocol, and not of its mutants.',
    hints: [
      'How many nodes may have the tag leader? always(…).',
      'Does everyone know the result? eventually(…) over the tag decided.',
      'Which node wins? Its id is in its context, as are the leader it knows and its own name.',
    ],
    mutants: [
      'passive: elected to leader retarget',
      'passive: elected ignore',
      'passive.asleep: election #1 drop-guard',
      'passive: elected learn drop-action',
    ],
    alsoRight: [
      'passive.asleep: elect candidate duplicate-action',
      'active: election #1 forward duplicate-action',
    ],
    systems: [entries('ring:2'), entries('ring:3')],
  },
  {
    ...{ kind: 'write', name: 'write-token-ring', lab: 3, minutes: 30 },
    ...{ protocol: 'token-ring', role: 'node' },
    goal: 'Write what a node does with the token, from the rules.',
    hints: [
      'Which events are there? The messages and commands are listed above the chart.',
      'Each state handles the token, or says that none can arrive there: in two of them one can.',
      'A node that waits takes the token, counts the entry and is inside.',
    ],
    holes: ['released', 'wanted', 'held'],
    systems: [entries('ring:2'), entries('ring:2', 2), entries('ring:3')],
  },
  {
    ...{ kind: 'write', name: 'write-lelann-chang-roberts', lab: 4, minutes: 40 },
    ...{ protocol: 'lelann-chang-roberts', role: 'node' },
    goal: 'Write how a node compares ids, from the rules.',
    hints: [
      'There are three guards: the id that arrives is larger than the own one, smaller, or the own one.',
      'A node that passes on a larger id relays from then on: passive.relaying.',
      'In each of the two states, elect arrives, too: one of them ignores it, as in elect: {}.',
    ],
    holes: ['passive.asleep', 'active'],
    systems: [entries('ring:2'), entries('ring:3'), entries('ring:4')],
  },
];
