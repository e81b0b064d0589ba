import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTrace } from './parse.js';
import { sequenceDiagram } from './sequence.js';
import { shivizLog, shivizParser, type VectorClock, vectorClocks } from './shiviz.js';
import type { Trace, TraceLine } from './trace.js';

const diagram = (text: string) => sequenceDiagram(parseTrace(text)).split('\n    ');

describe('sequenceDiagram', () => {
  it('draws the example of the style guide', () => {
    expect(
      diagram(
        'a  acquire  released → wanted  ⇒ b: request(1)\nb  request(1) from a  released  ⇒ a: reply\na  reply from b  wanted → held',
      ),
    ).toEqual([
      'sequenceDiagram',
      'participant n1 as a',
      'participant n2 as b',
      'Note over n1: acquire<br/>released → wanted',
      'n1->>n2: request(1)',
      'n2->>n1: reply',
      'Note over n1: wanted → held',
    ]);
  });

  it('takes the order of the participants from the header, if it has one', () => {
    const text = '# nodes: end c\nc  start  s  ⇒ b: x, end: x\nb  x from c  s → t';
    expect(diagram(text).slice(1)).toEqual([
      'participant n1 as end',
      'participant n2 as c',
      'participant n3 as b',
      'n2->>n3: x',
      'Note over n3: s → t',
    ]);
  });

  it('shows losses as crossed arrows and everything else as notes', () => {
    const text = [
      'a  go  s  ⇒ b: x',
      'b  duplicate x from a',
      'b  drop x from a',
      'b  cut from a',
      'b  heal from a',
      'b  crash',
      'b  restart',
      'a  timeout retry.m.s  s  ⇒ notify late(1)',
      'a  chosen 2  s → client.t & voter.u',
    ].join('\n');
    expect(diagram(text).slice(3)).toEqual([
      'Note over n1: go',
      'Note over n1,n2: duplicate x from a',
      'n1-xn2: x',
      'Note over n1,n2: cut from a',
      'Note over n1,n2: heal from a',
      'Note over n2: crash',
      'Note over n2: restart',
      'Note over n1: timeout retry.m.s<br/>notify late(1)',
      'Note over n1: chosen 2<br/>s → client.t & voter.u',
    ]);
  });

  it('escapes text that Mermaid would interpret', () => {
    expect(diagram('new-york  say("a; b #1 %%{c}%% <br>")  s').slice(1)).toEqual([
      'participant n1 as new-york',
      'Note over n1: say(#34;a#59; b #35;1 #37;#37;#123;c#125;#37;#37; #60;br#62;#34;)',
    ]);
  });
});

/** What the steps of a run do; deliveries are the most likely. */
const kinds = ['drop', 'duplicate', 'deliver', 'deliver', 'deliver', 'command'] as const;

/**
 * A random run on a lossy, duplicating, reordering network, and for each delivery the line that
 * sent its message.
 */
const run = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      node: fc.nat(3),
      pick: fc.nat(),
      sends: fc.array(fc.nat(3), { maxLength: 3 }),
    }),
  )
  .map((steps) => {
    const lines: TraceLine[] = [];
    const sentBy: (number | undefined)[] = [];
    const onTheWay: { from: string; to: string; call: string; sent: number }[] = [];
    for (const { kind, node, pick, sends } of steps) {
      const index = onTheWay.length > 0 ? pick % onTheWay.length : -1;
      const message = kind === 'command' ? undefined : onTheWay[index];
      if (message && (kind === 'drop' || kind === 'duplicate')) {
        const { from, to, call } = message;
        lines.push({ node: to, event: { kind, call, from }, effects: [] });
        sentBy.push(undefined);
        if (kind === 'drop') onTheWay.splice(index, 1);
        else onTheWay.push(message);
        continue;
      }
      const self = message?.to ?? `n${node}`;
      const effects = sends.flatMap((to, position) =>
        `n${to}` === self
          ? []
          : [{ kind: 'send' as const, to: `n${to}`, call: `m(${lines.length}, ${position})` }],
      );
      if (message) onTheWay.splice(index, 1);
      for (const { to, call } of effects)
        onTheWay.push({ from: self, to, call, sent: lines.length });
      const event = message
        ? { kind: 'deliver' as const, call: message.call, from: message.from }
        : { kind: 'command' as const, call: 'go' };
      lines.push({ node: self, event, before: 's', after: 's', effects });
      sentBy.push(message?.sent);
    }
    return { trace: { header: new Map(), lines } satisfies Trace, sentBy };
  });

/**
 * happenedBefore[i] holds the lines that happened before line i: those before it at its node, and
 * those before the send that it receives.
 */
function happenedBefore({ lines }: Trace, sentBy: readonly (number | undefined)[]): Set<number>[] {
  const before: Set<number>[] = [];
  for (const [index, { node, event }] of lines.entries()) {
    const causes = lines.flatMap((other, earlier) =>
      earlier < index &&
      other.node === node &&
      (other.event.kind === 'deliver' || other.event.kind === 'command')
        ? [earlier]
        : [],
    );
    const sent = event.kind === 'deliver' ? sentBy[index] : undefined;
    if (sent !== undefined) causes.push(sent);
    before.push(new Set(causes.flatMap((cause) => [cause, ...(before[cause] ?? [])])));
  }
  return before;
}

const isBefore = (a: VectorClock, b: VectorClock): boolean =>
  Object.entries(a).every(([id, count]) => count <= (b[id] ?? 0));

describe('vectorClocks', () => {
  it('are ordered exactly as the events they stamp: a delivery after its send, concurrent events not at all', () => {
    let delivered = 0;
    let concurrent = 0;
    fc.assert(
      fc.property(run, ({ trace, sentBy }) => {
        const clocks = vectorClocks(trace);
        const before = happenedBefore(trace, sentBy);
        for (const [i, a] of clocks.entries())
          for (const [j, b] of clocks.entries()) {
            if (!a || !b || i === j) continue;
            expect(isBefore(a, b)).toBe(before[j]?.has(i));
            if (sentBy[j] === i) delivered++;
            if (!isBefore(a, b) && !isBefore(b, a)) concurrent++;
          }
      }),
    );
    expect(delivered).toBeGreaterThan(50);
    expect(concurrent).toBeGreaterThan(50);
  });

  it('count the steps of each node from one, and leave out events of channels', () => {
    const trace = parseTrace(
      `
        a  go  s  ⇒ b: x
        b  duplicate x from a
        a  crash
        b  x from a  s  ⇒ c: y
        a  restart
        b  cut from a
        c  y from b  s
        b  x from a  s
      `,
    );
    expect(vectorClocks(trace)).toEqual([
      { a: 1 },
      undefined,
      { a: 2 },
      { a: 1, b: 1 },
      { a: 3 },
      undefined,
      { a: 1, b: 1, c: 1 },
      { a: 1, b: 2 },
    ]);
  });
});

describe('shivizLog', () => {
  const text = `a  acquire  released → wanted  ⇒ new-york: request(1)
    new-york  request(1) from a  released  ⇒ a: reply
    a  reply from new-york  wanted → held
    a  crash`;

  it('writes its parser, then two lines per event', () => {
    expect(shivizLog(parseTrace(text))).toBe(
      [
        '(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)',
        '',
        'a {"a":1}',
        'acquire, released → wanted',
        'new-york {"new-york":1,"a":1}',
        'request(1) from a, released',
        'a {"a":2,"new-york":1}',
        'reply from new-york, wanted → held',
        'a {"a":3,"new-york":1}',
        'crash',
        '',
      ].join('\n'),
    );
  });

  it('is read by that parser', () => {
    const log = shivizLog(parseTrace(text)).split('\n').slice(2).join('\n');
    const events = [...log.matchAll(new RegExp(shivizParser, 'g'))].map(({ groups }) => [
      groups?.host,
      JSON.parse(groups?.clock ?? ''),
      groups?.event,
    ]);
    expect(events).toEqual([
      ['a', { a: 1 }, 'acquire, released → wanted'],
      ['new-york', { a: 1, 'new-york': 1 }, 'request(1) from a, released'],
      ['a', { a: 2, 'new-york': 1 }, 'reply from new-york, wanted → held'],
      ['a', { a: 3, 'new-york': 1 }, 'crash'],
    ]);
  });

  it('refuses the delivery of a message that was not sent', () => {
    expect(() => shivizLog(parseTrace('b  x from a  s'))).toThrow(
      'Step 1 (b  x from a): no such message is in flight to b',
    );
  });
});
