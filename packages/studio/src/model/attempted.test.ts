import { expect, it } from 'vitest';
import { attempted, badges } from './properties.js';
import { Session } from './session.js';
import { systemOf } from './system.js';

it('an exercise is solved where its property is false, after no more steps than allowed', async () => {
  const session = new Session(
    await systemOf({
      protocol: 'bully',
      options: {},
      topology: 'complete:3',
      budget: { time: 'untimed' },
    }),
  );
  const property = 'at most one node is the leader';
  const of = (within: number, name = property) =>
    attempted({ property: name, within }, badges(session).value, session.now.value.depth);
  expect(of(3)).toEqual({ kind: 'open', left: 3 });
  session.show([0, 4, 1]);
  expect(of(3)).toEqual({ kind: 'solved', steps: 3 });
  expect(of(2)).toEqual({ kind: 'too long', steps: 3 });
  expect(of(3, 'all is well')).toEqual({ kind: 'unknown' });
  session.take(0); // it stays solved by the step that violated it
  expect(of(3)).toEqual({ kind: 'solved', steps: 3 });
});
