/** Every function of the package refuses an option that it does not have. */
import { lelannChangRoberts } from '@conclave/algorithms/lelann-chang-roberts';
import { membership } from '@conclave/algorithms/membership';
import { raymond } from '@conclave/algorithms/raymond';
import type { Protocol } from '@conclave/core/protocol';
import { expect, it } from 'vitest';
import * as exported from './index.js';
import { openTelemetry } from './opentelemetry.js';

type Call = (options: object) => unknown;
type Of = (protocol: Protocol, options: object) => unknown;

/** Those whose options are not their only argument. */
const calls: Readonly<Record<string, Call>> = {
  lock: (options) => (exported.lock as Of)(raymond(), options),
  election: (options) => (exported.election as Of)(lelannChangRoberts, options),
  group: (options) => (exported.group as Of)(membership(), options),
};
/** Functions and classes without options; the errors of `once` begin with the name of its job. */
const others = [
  ...['LeadershipLost', 'LockLost', 'memoryStore', 'once'],
  ...['natsStore', 'postgresStore', 'redisStore', 'sqliteStore'],
];

const functions = [
  ...Object.entries<unknown>(exported),
  ['openTelemetry', openTelemetry] as const,
].flatMap(([name, value]) =>
  typeof value === 'function' && !others.includes(name)
    ? [[name, calls[name] ?? (value as Call)] as const]
    : [],
);

it.each([...functions, ['lock', exported.lock as Call] as const])(
  '%s refuses a misspelt option',
  (name, call) => {
    expect(() => call({ leese: 3 })).toThrow(
      expect.objectContaining({
        code: 'bad-input',
        message: expect.stringContaining(`${name}: there is no option 'leese'. `),
      }),
    );
  },
);
