import {
  ConclaveError,
  defineProtocol,
  type Message,
  type Protocol,
} from '@conclave/core/protocol';
import { requireNoHistory } from '../../composition/part.js';
import { partText, validOptions } from '../../options.js';
import type { Command } from '../mutual-exclusion.js';
import { lamport } from '../permission/lamport/protocol.js';
import {
  causalFairnessOptions,
  type Options,
  requestsBefore,
  respectsHappenedBefore,
} from './causal-fairness.js';

export type { Command, Options };

/**
 * C6: a lock that is judged for causal fairness. Its machines and messages are those of the lock. A
 * history variable remembers which requests happened before each other, and one more property says
 * that entries are in this order.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, a value that it does not take, a
 * protocol that is no lock, or one with a history variable.
 * @example explore(causalFairness({ lock: ricartAgrawala }), complete(3), { commands: 2 }) //
 * violated: a run of 13 steps
 */
export function causalFairness(options: Options = {}): Protocol<Command> {
  const { lock = lamport } = validOptions('causalFairness', causalFairnessOptions, options);
  requireLock(lock);
  requireNoHistory('causal-fairness', lock);
  return defineProtocol<Message, Command>({
    ...lock,
    commands: { acquire: commandOf(lock, 'acquire'), release: commandOf(lock, 'release') },
    id: 'C6',
    name: 'causal-fairness',
    title: 'Causal fairness of a lock',
    citation:
      'L. Lamport: Time, Clocks, and the Ordering of Events in a Distributed System. CACM 21:7, 1978, condition II',
    options: { lock: partText(lock) },
    history: requestsBefore,
    properties: [...lock.properties, respectsHappenedBefore],
  });
}

function requireLock({ title, problem, commands }: Protocol): void {
  if (problem === 'mutual-exclusion' && commands.acquire && commands.release) return;
  throw new ConclaveError(
    'bad-input',
    `causal-fairness: ${title} solves '${problem}'`,
    "Give a lock, such as 'ricart-agrawala'.",
  );
}

function commandOf({ commands }: Protocol, type: Command['type']): Protocol['commands'][string] {
  const command = commands[type];
  if (!command) throw new Error(`unreachable: requireLock has found '${type}'`);
  return command;
}
