/** The machines of A19, for all options that go together. */
import type { AnyStateMachine } from 'xstate';
import { announcingOf } from './announcing.js';
import { changingGreedyMachine, changingKeepingMachine, changingMachine } from './changing.js';
import { leadingOf } from './following.js';
import { greedyKeepingMachine, keepingMachine, telling } from './keeping.js';
import { cancellable, machine } from './leased-majority.js';
import { prioritized } from './prioritized.js';
import { revocable } from './revoking.js';
import { clientOf, servingOf } from './serving.js';
import type { settingsOf } from './settings.js';

type Settings = ReturnType<typeof settingsOf>;
type Role = 'node' | 'voter' | 'client' | 'server';

/** One machine for the same options, so that what is compiled of it is shared. */
const known = new Map<string, AnyStateMachine>();

export function machineOf(role: Role, settings: Settings): AnyStateMachine {
  const { keeps, isGreedy, isTelling, priority, revoke, voters, cancel, announce } = settings;
  const flags = [
    role,
    keeps,
    isGreedy,
    isTelling,
    priority,
    revoke,
    voters !== undefined,
    cancel,
    announce,
  ];
  const key = flags.join();
  const made = known.get(key) ?? make(role, settings);
  known.set(key, made);
  return made;
}

function make(role: Role, settings: Settings): AnyStateMachine {
  const { isTelling, priority, revoke, cancel, announce } = settings;
  const roles = { node: same, voter: servingOf, client: clientOf, server: leadingOf };
  const additions = [
    cancel ? cancellable : same,
    roles[role],
    isTelling ? telling : same,
    priority ? prioritized : same,
    revoke ? revocable : same,
    announce ? announcingOf : same,
  ];
  return additions.reduce((of, add) => add(of), variantOf(settings));
}

const same = (of: AnyStateMachine): AnyStateMachine => of;

function variantOf({ keeps, isGreedy, voters }: Settings): AnyStateMachine {
  if (isGreedy) return voters ? changingGreedyMachine : greedyKeepingMachine;
  if (keeps) return voters ? changingKeepingMachine : keepingMachine;
  return voters ? changingMachine : machine;
}
