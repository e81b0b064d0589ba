import { ConclaveError } from '../../base/error.js';
import { require, type Stage } from './check.js';
import type { Ability } from './test-network.js';

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
