/**
 * A client that has asked is forgotten. Mend the coordinator, so that each client gets its turn.
 *
 * Messages and commands:
 * - request: I request entry
 * - grant: you may enter; `entry` is the number of this entry
 * - released: I have left; in the paper RELEASE
 * - acquire: the application requests entry to the critical section
 * - release: the application leaves the critical section
 * Actions: grant, grantFirst, enqueue, dequeue, acknowledge, confirm
 * Guards: queueIsEmpty, isQueued
 *
 * Check it: npx conclave check ./mend-central-coordinator.mjs
 */
import { centralCoordinator } from '@conclave/algorithms/central-coordinator';
import { createMachine } from 'xstate';

const right = centralCoordinator();

const states = {
  free: { on: { request: { target: 'busy', actions: 'grant' } } },
  busy: {
    on: {
      request: { actions: 'enqueue' },
      released: [{ target: 'free' }, { actions: 'grantFirst' }],
    },
  },
};

const { machine, ...role } = right.roles.coordinator;
export const protocol = {
  ...right,
  roles: {
    ...right.roles,
    coordinator: { ...role, machine: createMachine({ ...machine.config, states }, machine.implementations) },
  },
};
