/** Known-wrong versions, and shared test code. */
import { type Protocol, send } from '@conclave/core/protocol';
import { type AnyStateMachine, assign, enqueueActions } from 'xstate';
import { withMachine } from '../../../contract/machines.contract.js';

/** The protocol with other actions or guards in its machines. */
export function mutant(
  refuted: string,
  protocol: Protocol,
  implementations: Parameters<AnyStateMachine['provide']>[0],
) {
  const machines = Object.entries(protocol.roles);
  const changed = machines.reduce(
    (all, [role, { machine }]) => withMachine(all, machine.provide(implementations), role),
    protocol,
  );
  return { protocol: changed, refuted };
}

export const sameFence = { actions: { keepFence: assign({ fence: 1 }) } };
export const admitsTooEarly = { guards: { outerIsOurs: () => true } };
export const sendsNoLeft = { actions: { leave: assign({}) } };
export const claimsTooEarly = { guards: { innerIsOurs: () => true } };

export const givesBackInnerTooEarly = {
  actions: {
    claim: enqueueActions(({ context: { self, representative }, enqueue }) => {
      const claim = { type: 'claim', from: self };
      if (self === representative) enqueue.raise(claim);
      else enqueue.emit(send(representative, { type: 'claim' }));
      enqueue.raise({ type: 'within-release' });
    }),
  },
};

export const givesBackOuterTooEarly = {
  actions: {
    admit: enqueueActions(({ context: { self, claimant }, enqueue }) => {
      const admitted = { type: 'admitted', fence: 1, from: self };
      if (self === claimant) enqueue.raise(admitted);
      else enqueue.emit(send(claimant, { type: 'admitted', fence: 1 }));
      enqueue.assign({ claimant: null });
      enqueue.raise({ type: 'between-release' });
    }),
    giveBackOuter: assign({}),
  },
};

export const forgetsClaim = {
  actions: {
    giveBackOuter: enqueueActions(({ enqueue }) => {
      enqueue.assign({ claimant: null });
      enqueue.raise({ type: 'between-release' });
    }),
  },
};

/** With several turns. */
export const keepsWithoutRequest = { guards: { anotherTurn: () => true } };
export const doesNotCountTurns = { actions: { nextTurn: assign({}) } };

export const doesNotCountClaims = { actions: { countClaim: assign({}) } };
