import { ConclaveError } from '../../base/error.js';
import type { NodeId } from '../../protocol/node.js';
import type { Guarantees } from '../transport.js';
import { Endpoint } from './endpoint.js';
import type { Ability, Declared, SetUp, TestNetwork } from './test-network.js';

/** What a check works with. */
export interface Stage {
  readonly network: TestNetwork;
  readonly declared: Declared;
  readonly maxBytes: number;
  /** Opens node `id`; it is closed after the check. */
  open(id: NodeId, listen?: boolean): Promise<Endpoint>;
}

/** One check of the contract. It throws where a transport fails it. */
export interface Check {
  readonly name: string;
  readonly needs: readonly Ability[];
  readonly run: (stage: Stage) => Promise<void>;
  /** Default 64 KiB. */
  readonly maxBytes?: number;
}

export const nodes: readonly NodeId[] = ['a', 'b', 'c'];
const defaultPatience = 20_000;

/** Runs `check` on a network of its own, which it ends in every case. */
export async function perform(
  check: Pick<Check, 'run' | 'maxBytes'>,
  setUp: SetUp,
  declared: Declared,
): Promise<void> {
  const { patience = defaultPatience } = declared;
  const { maxBytes = 1 << 16 } = check;
  const network = await setUp(nodes, { maxBytes });
  const opened: Endpoint[] = [];
  const open = async (id: NodeId, listen?: boolean) => {
    const endpoint = new Endpoint(await network.transport(id), patience, listen);
    opened.push(endpoint);
    return endpoint;
  };
  try {
    await check.run({ network, declared, maxBytes, open });
  } finally {
    await Promise.allSettled(opened.map((endpoint) => endpoint.close()));
    await network.close();
  }
}

/** What may happen while the medium is up. */
export const allowedWhileUp = (
  { order, loss, duplication }: Guarantees,
  { losesWhileUp, inOrderWhileUp = false }: Declared,
): Pick<Guarantees, 'order' | 'loss' | 'duplication'> => ({
  order: inOrderWhileUp ? 'fifo' : order,
  loss: loss && losesWhileUp !== undefined,
  duplication,
});

export function require(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

/** Checks that `action` throws a {@link ConclaveError} with this code. */
export function requireError(code: string, what: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    const found = error instanceof Error && 'code' in error ? error.code : undefined;
    if (found === code) return;
    throw new Error(`${what} throws ${String(error)}, and not a ConclaveError '${code}'`, {
      cause: error,
    });
  }
  throw new Error(`${what} throws nothing, and not a ConclaveError '${code}'`);
}

/**
 * Checks that the transport or its test network indeed cannot do what is declared impossible:
 * nobody may skip a check that could run.
 */
export async function requireUnable(ability: Ability, stage: Stage): Promise<void> {
  require(!(await able[ability](
    stage,
  )), `It is declared impossible, and it works. Remove impossible.${ability}`);
}

const able: Readonly<Record<Ability, (stage: Stage) => Promise<boolean> | boolean>> = {
  interrupt: ({ network }) => network.interrupt !== undefined,
  inject: ({ network }) => network.inject !== undefined,
  reopen: async ({ open }) => {
    const a = await open('a');
    await a.close();
    return open('a').then(
      () => true,
      () => false,
    );
  },
  status: async ({ open }) => (await open('a')).transport.status$ !== undefined,
  peers: async ({ open }) => (await open('a')).transport.peers$ !== undefined,
  limit: async ({ open, maxBytes }) => {
    const { transport } = await open('a');
    const long = { type: 'long', text: 'x'.repeat(maxBytes + 1) };
    return isRefused(() => transport.send('b', long));
  },
  members: async ({ open }) => {
    const { transport } = await open('a');
    return isRefused(() => transport.send('stranger', { type: 'hello' }));
  },
};

function isRefused(send: () => void): boolean {
  try {
    send();
    return false;
  } catch (error) {
    return error instanceof ConclaveError && error.code === 'bad-input';
  }
}
