/**
 * Space-time diagrams: what is in the drawing, and where. Three runs have all kinds of lines of a
 * trace; the SVG is read by its classes, as a style sheet reads it.
 */
import { describe, expect, it } from 'vitest';
import { placeLabels, placeMarks } from './label-placement.js';
import { parseTrace } from './parse.js';
import { spaceTimeSvg } from './space-time.js';
import { layOut, textWidth } from './space-time-layout.js';
import { spaceTimeView } from './space-time-view.js';

/**
 * Ricart–Agrawala, three nodes, two requests for entry; c's request overtakes a's on the channel to
 * b.
 */
const mutualExclusion = parseTrace(`
# protocol: ricart-agrawala (A3)
# topology: complete:3
# seed: 5
 0.000ms  a  acquire            released → wanted  ⇒ b: request(1), c: request(1)
 3.000ms  c  acquire            released → wanted  ⇒ a: request(1), b: request(1)
 8.307ms  b  request(1) from c  released           ⇒ c: reply
11.416ms  a  request(1) from c  wanted
18.328ms  c  request(1) from a  wanted             ⇒ a: reply
18.642ms  b  request(1) from a  released           ⇒ a: reply
24.213ms  a  reply from b       wanted
25.191ms  c  reply from b       wanted
31.798ms  a  reply from c       wanted → held
51.798ms  a  release            held → released    ⇒ c: reply
65.845ms  c  reply from a       wanted → held
85.845ms  c  release            held → released
`);

/**
 * LeLann–Chang–Roberts on a ring of five, one initiator, as a trace of the explorer: without times.
 */
const election = parseTrace(`
# nodes: n1 n4 n2 n5 n3
n1  elect                 idle → active      ⇒ n4: election(n1)
n4  election(n1) from n1  idle → active      ⇒ n2: election(n4)
n2  election(n4) from n4  idle → passive     ⇒ n5: election(n4)
n5  election(n4) from n2  idle → active      ⇒ n3: election(n5)
n3  election(n5) from n5  idle → passive     ⇒ n1: election(n5)
n1  election(n5) from n3  active → passive   ⇒ n4: election(n5)
n4  election(n5) from n1  active → passive   ⇒ n2: election(n5)
n2  election(n5) from n4  passive            ⇒ n5: election(n5)
n5  election(n5) from n2  active → leader    ⇒ notify elected(n5), n3: elected(n5)
`);

/** A sender that repeats on a lossy channel, and a receiver that crashes. */
const lossy = parseTrace(`
0.000ms  new-york  send                   idle → sending  ⇒ tokyo: data(1), start retry 5ms
0.000ms  tokyo     drop data(1) from new-york
5.000ms  new-york  timeout retry          sending         ⇒ tokyo: data(1), start retry 5ms
5.000ms  tokyo     duplicate data(1) from new-york
7.000ms  tokyo     data(1) from new-york  idle            ⇒ new-york: ack(1)
8.000ms  tokyo     data(1) from new-york  idle            ⇒ new-york: ack(1)
9.000ms  new-york  ack(1) from tokyo      sending → idle  ⇒ cancel retry
9.500ms  tokyo     crash
9.600ms  new-york  send                   idle → sending  ⇒ tokyo: data(2)
9.900ms  tokyo     drop data(2) from new-york
12.000ms  tokyo    restart
`);

const count = (svg: string, part: string | RegExp): number => svg.split(part).length - 1;
const bars = (svg: string): string[] =>
  [...svg.matchAll(/<rect class="bar (\w+)".*? height="(\d+)".*?<title>(.*?)<\/title>/g)].map(
    (bar) => bar.slice(1).join(' '),
  );

interface DrawnNote {
  readonly x: number;
  readonly y: number;
  readonly anchor: string;
  readonly text: string;
}

const notesIn = (svg: string): readonly DrawnNote[] =>
  [
    ...svg.matchAll(/class="note" x="([\d.]+)" y="([\d.]+)" text-anchor="(start|end)">(RA\d+)</g),
  ].map(([, x, y, anchor = '', text = '']) => ({ x: Number(x), y: Number(y), anchor, text }));

/** A message that moves: from a place to a place, between two moments, in percent of a round. */
interface Flight {
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly sent: number;
  readonly arrives: number;
}

const flightsIn = (svg: string): readonly Flight[] =>
  [
    ...svg.matchAll(
      /@keyframes flies\d+\{0%,[\d.]+%\{opacity:0;transform:translate\(([\d.]+)px,([\d.]+)px\)\}([\d.]+)%\{opacity:1;[^}]*\}([\d.]+)%\{opacity:1;transform:translate\(([\d.]+)px,([\d.]+)px\)\}[\d.]+%,100%\{opacity:0/g,
    ),
  ].map((found) => {
    const [x = 0, y = 0, sent = 0, arrives = 0, toX = 0, toY = 0] = found.slice(1).map(Number);
    return { from: [x, y], to: [toX, toY], sent, arrives };
  });

const rounded = ({ x, y }: { readonly x: number; readonly y: number }): readonly number[] =>
  [x, y].map((at) => Number(at.toFixed(1)));

describe('spaceTimeSvg', () => {
  it('writes a note beside the step of its line, clear of the marks and of other notes', () => {
    const notes = mutualExclusion.lines.map((_, line) => (line === 3 ? '' : `RA${line}`));
    const found = notesIn(spaceTimeSvg(mutualExclusion, { notes }));
    expect(found.map(({ text }) => text)).toEqual(notes.filter(Boolean));
    const { steps } = layOut(mutualExclusion);
    for (const { x, y, text } of found) {
      const step = steps.find(({ line }) => `RA${line}` === text);
      expect(Math.abs(x - (step?.x ?? 0))).toBeCloseTo(5, 0);
      expect(Math.abs(y - 3 - (step?.y ?? 0))).toBeCloseTo(12, 0);
    }
    const places = new Set(found.map(({ x, y, anchor }) => [x, y, anchor].join()));
    expect(places.size).toBe(found.length);
  });

  it('has no notes unless they are given', () => {
    expect(spaceTimeSvg(mutualExclusion)).not.toContain('class="note"');
  });

  it('is still unless it is to move', () => {
    const still = spaceTimeSvg(mutualExclusion, { animated: false });
    expect(still).toBe(spaceTimeSvg(mutualExclusion));
    expect(still).not.toContain('@keyframes');
  });

  it('moves without a script, and not for those who want no motion', () => {
    const svg = spaceTimeSvg(mutualExclusion, { animated: true });
    expect(svg).not.toMatch(/<script|xlink|href|url\(/);
    expect(svg).toContain(
      '@media (prefers-reduced-motion:reduce){.space-time .motion{display:none}}',
    );
    expect(spaceTimeSvg({ header: new Map(), lines: [] }, { animated: true })).not.toContain('NaN');
  });

  it('moves a dot on each message from its sending to its arrival, in proportion', () => {
    const svg = spaceTimeSvg(mutualExclusion, { animated: true });
    const { arrows, left, right } = layOut(mutualExclusion);
    const end = Number(/@keyframes coming\{([\d.]+)%/.exec(svg)?.[1]);
    const percentAt = (x: number) => ((x - left) / (right - left)) * end;
    const flights = flightsIn(svg);
    expect(flights).toHaveLength(arrows.length);
    for (const [index, { tail, tip }] of arrows.entries()) {
      const { from, to, sent, arrives } = flights[index] ?? {};
      expect(sent).toBeCloseTo(percentAt(tail.x), 1);
      expect(arrives).toBeCloseTo(percentAt(tip.x), 1);
      expect([from, to]).toEqual([rounded(tail), rounded(tip)]);
    }
  });

  it('has a line per node and an arrow per message', () => {
    const svg = spaceTimeSvg(mutualExclusion);
    expect([...svg.matchAll(/class="node".*?>(.*?)</g)].map(([, id]) => id)).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(count(svg, '<g class="message delivered')).toBe(8);
    expect(count(svg, '<g class="message ')).toBe(8);
    expect(count(svg, '<text class="label')).toBe(8);
    expect(svg).toContain('<title>request(1) c → b</title>');
  });

  it('shows waiting and holding as bars, and explains them', () => {
    const svg = spaceTimeSvg(mutualExclusion);
    expect(bars(svg)).toEqual([
      'state0 8 wanted',
      'strong0 14 held',
      'state0 8 wanted',
      'strong0 14 held',
    ]);
    expect(
      [...svg.matchAll(/<g class="legend">.*<text.*?>(.*?)</g)].map(([, state]) => state),
    ).toEqual(['released', 'wanted', 'held']);
    expect(count(svg, '<g class="mark command"')).toBe(4);
  });

  it('colours messages by their type', () => {
    const svg = spaceTimeSvg(mutualExclusion);
    expect(count(svg, '<g class="message delivered message0"><title>request(1)')).toBe(4);
    expect(count(svg, '<g class="message delivered message1"><title>reply')).toBe(4);
  });

  it('draws a trace without times, in the order of the nodes that its header gives', () => {
    const svg = spaceTimeSvg(election);
    expect([...svg.matchAll(/class="node".*?>(.*?)</g)].map(([, id]) => id)).toEqual([
      'n1',
      'n4',
      'n2',
      'n5',
      'n3',
    ]);
    expect(bars(svg).filter((bar) => bar.startsWith('strong'))).toEqual(['strong0 14 leader']);
    expect(count(svg, '<g class="message pending')).toBe(1);
    expect(svg).not.toContain('class="axis"');
    expect(svg).toContain('<g class="mark notify">');
    expect(svg).toContain('<title>Space-time diagram</title>');
  });

  it('distinguishes lost, duplicated and pending messages and crashes', () => {
    const svg = spaceTimeSvg(lossy);
    expect(count(svg, '<title>data(1) new-york → tokyo</title>')).toBe(2);
    expect(count(svg, '<title>data(1) new-york → tokyo, lost</title>')).toBe(1);
    expect(count(svg, '<title>data(2) new-york → tokyo, lost</title>')).toBe(1);
    expect(count(svg, '<title>ack(1) tokyo → new-york, on its way</title>')).toBe(1);
    expect(count(svg, '<path class="crashed"')).toBe(1);
    expect(
      [...svg.matchAll(/<g class="mark (\w+)".*?<text.*?>(.*?)</g)].map(
        ([, kind, text]) => `${kind}: ${text}`,
      ),
    ).toEqual([
      'command: send',
      'timeout: timeout retry',
      'crash: crash',
      'command: send',
      'restart: restart',
    ]);
  });

  it('takes its title and its thick bars from the options', () => {
    const svg = spaceTimeSvg(
      parseTrace(
        'a  go  s → client.token & voter.free\na  go  client.token & voter.free → tokenless',
      ),
      { title: 'Who holds <the> token?', strong: ['token'] },
    );
    expect(svg).toContain('<title>Who holds &lt;the&gt; token?</title>');
    expect(bars(svg)).toEqual(['strong0 14 client.token &amp; voter.free', 'state0 8 tokenless']);
    expect(spaceTimeSvg(mutualExclusion)).toContain(
      '<title>ricart-agrawala (A3) · complete:3 · seed 5</title>',
    );
  });

  it('draws a state thick even when nodes start in it', () => {
    expect(
      bars(spaceTimeSvg(parseTrace('a  release  held → released\nb  acquire  released'))),
    ).toEqual(['strong0 14 held']);
  });

  it('escapes and shortens what it writes', () => {
    const svg = spaceTimeSvg(
      parseTrace('<a>  say("1 < 2 & so on, for as long as it takes")  s  ⇒ b&c: x("<>")'),
    );
    expect(svg).toContain('>&lt;a&gt;</text>');
    expect(svg).toContain('say(&quot;1 &lt; 2 &amp; so on, for as …</text>');
    expect(svg).toContain('<title>x(&quot;&lt;&gt;&quot;) &lt;a&gt; → b&amp;c, on its way</title>');
    expect(svg.replace(/<\/?[a-z]+( [\w-]+="[^"<>]*")*\/?>/g, '')).not.toMatch(/[<>]/);
  });

  it.each([
    ['mutual exclusion', mutualExclusion],
    ['election', election],
    ['losses', lossy],
    ['nothing', parseTrace('')],
    ['one step', parseTrace('a  go  s')],
  ])('gives the same finite numbers twice: %s', (_, trace) => {
    const svg = spaceTimeSvg(trace);
    expect(svg).toBe(spaceTimeSvg(trace));
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*viewBox="0 0 \d+ \d+"/,
    );
  });

  it('refuses the delivery of a message that was not sent', () => {
    expect(() => spaceTimeSvg(parseTrace('b  x from a  s'))).toThrow(
      'Step 1 (b  x from a): no such message is in flight to b',
    );
  });
});

describe('the layout', () => {
  it.each([mutualExclusion, election, lossy])(
    'runs from left to right: no step before an earlier one, no arrow backwards',
    (trace) => {
      const { steps, arrows, right } = layOut(trace);
      expect(steps.map(({ x }) => x)).toEqual(steps.map(({ x }) => x).sort((a, b) => a - b));
      expect(arrows.length).toBeGreaterThan(0);
      for (const { tail, tip } of arrows) {
        expect(tip.x).toBeGreaterThan(tail.x + 10);
        expect(tip.x).toBeLessThanOrEqual(right);
      }
    },
  );

  it('gives independent steps one column when there are no times', () => {
    const { steps } = layOut(parseTrace('a  go  s  ⇒ c: x\nb  go  s\nc  x from a  s\nb  go  s'));
    expect(steps.map(({ x }) => x === steps[0]?.x)).toEqual([true, true, false, false]);
    expect(steps[2]?.x).toBe(steps[3]?.x);
  });

  it('starts a new bar after a restart', () => {
    const { stretches } = layOut(
      parseTrace('a  go  idle → busy\na  crash\na  restart\na  go  ready → busy'),
    );
    expect(stretches.map(({ state, crashed }) => (crashed ? 'crashed' : state))).toEqual([
      'idle',
      'busy',
      'crashed',
      'ready',
      'busy',
    ]);
  });

  it('leaves room for a message with a tiny delay', () => {
    const { arrows } = layOut(
      parseTrace(
        '0.000ms  a  go  s  ⇒ b: x\n0.001ms  b  x from a  s\n0.002ms  b  go  s\n50.000ms  b  go  s',
      ),
    );
    expect((arrows[0]?.tip.x ?? 0) - (arrows[0]?.tail.x ?? 0)).toBeGreaterThan(40);
  });

  it('shortens long waits', () => {
    const { moments } = layOut(
      parseTrace('0.000ms  a  go  s\n1.000ms  b  go  s\n2.000ms  c  go  s\n9000.000ms  d  go  s'),
    );
    const [first = 0, second = 0, third = 0, last = 0] = moments.map(({ x }) => x);
    expect(second - first).toBeCloseTo(third - second);
    expect(last - third).toBeLessThan(3 * (third - second));
  });

  it('writes a mark on the side of the lane where no message arrives or leaves', () => {
    const layout = layOut(
      parseTrace(
        'b  up  s  ⇒ a: x\nb  down  s  ⇒ c: x\nb  both  s  ⇒ a: y, c: y\na  x from b  s\nc  x from b  s  ⇒ notify told',
      ),
    );
    expect(
      placeMarks(layout).map(
        ({ text, below, anchor }) => `${text} ${below ? 'below' : 'above'} ${anchor}`,
      ),
    ).toEqual(['up below middle', 'down above middle', 'both above end', 'told below middle']);
  });

  it.each([
    ['a run', mutualExclusion],
    [
      'two messages that cross',
      parseTrace(
        'a  go  s  ⇒ b: request(1)\nb  go  s  ⇒ a: request(2)\na  request(2) from b  s\nb  request(1) from a  s',
      ),
    ],
  ])('does not write messages over each other: %s', (_, trace) => {
    const layout = layOut(trace);
    const labels = placeLabels(layout, placeMarks(layout));
    expect(labels.map(({ text }) => text)).toEqual(layout.arrows.map(({ call }) => call));
    for (const [index, a] of labels.entries())
      for (const b of labels.slice(index + 1))
        expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(14);
    for (const { angle } of labels) expect(Math.abs(angle)).toBeLessThan(90);
  });
});

const looks = {
  state: (text: string) => (text === 'busy' ? 'state-2' : 'initial'),
  message: () => 'message-1',
};

/** Three messages from a: one arrives within lines 2 to 4, one after them, one never. */
const run = parseTrace(`
# nodes: a b c
a  go        idle → busy  ⇒ b: early, c: late, c: never
b  go        idle
b  early from a  idle → busy  ⇒ c: next
a  go        busy
c  late from a   idle
c  next from b   idle
`);
const view = (more: Partial<Parameters<typeof spaceTimeView>[1]> = {}) =>
  spaceTimeView(run, {
    from: 0,
    to: run.lines.length,
    height: 260,
    looks,
    mostLabels: 24,
    ...more,
  });
const linesOf = (svg: string): string[] =>
  [...svg.matchAll(/data-line="(\d+)"/g)].map(([, line = '']) => line);

describe('a part of a run', () => {
  it('has messages from before it and to after it, at its edges', () => {
    const { arrows, left, right } = layOut(run, { from: 2, to: 4, left: 6, column: 50 });
    const found = new Map(arrows.map((arrow) => [arrow.call, arrow]));
    expect([...found.keys()]).toEqual(['early', 'late', 'never', 'next']);
    expect(found.get('early')).toMatchObject({
      enters: true,
      leaves: false,
      fate: 'delivered',
      end: 2,
      tail: { x: left },
    });
    expect(found.get('late')).toMatchObject({
      enters: true,
      leaves: true,
      end: 4,
      tail: { x: left },
      tip: { x: right },
    });
    expect(found.get('never')).toMatchObject({
      enters: true,
      leaves: false,
      fate: 'pending',
      tip: { x: right },
    });
    expect(found.get('next')).toMatchObject({ enters: false, leaves: true, tip: { x: right } });
  });

  it('has its own steps only, and the states from before it', () => {
    const { svg } = view({ from: 3, to: 5 });
    expect(linesOf(svg)).toEqual(['3', '4']);
    expect(svg.split('class="bar state2"').length - 1).toBe(2); // a and b are busy since before it
  });

  it('leaves out what ended before it', () => {
    expect(view({ from: 4, to: 6 }).arrows.map(({ call }) => call)).toEqual([
      'late',
      'never',
      'next',
    ]);
  });

  it('begins what has not happened yet between two steps', () => {
    const { edge, svg, width } = view();
    const xs = new Map(
      [...svg.matchAll(/data-line="(\d+)".*? cx="([\d.]+)"/g)].map(([, line, x]) => [
        Number(line),
        Number(x),
      ]),
    );
    for (const lines of [1, 2, 3, 4, 5]) {
      expect(edge(lines)).toBeGreaterThan(xs.get(lines - 1) ?? Infinity);
      expect(edge(lines)).toBeLessThan(xs.get(lines) ?? -Infinity);
    }
    expect(edge(0)).toBeLessThan(xs.get(0) ?? -Infinity);
    expect(edge(6)).toBeLessThanOrEqual(width);
  });
});

describe('a drawing in a page', () => {
  it('shares its height among the lanes, and keeps them legible', () => {
    expect(view().height).toBeLessThanOrEqual(260);
    const [first, second] = view({ height: 80 }).lanes;
    expect((second?.y ?? 0) - (first?.y ?? 0)).toBe(34);
  });

  it('shows where a run repeats, and where nothing more happens', () => {
    expect(view().svg).not.toContain('class="loop"');
    expect(view({ repeats: 2 }).svg).toContain('>repeats forever</text>');
    expect(view({ repeats: 'ended' }).svg).toContain('>nothing more happens</text>');
  });

  it('shows why a node cannot take the next step', () => {
    const { svg } = view({ fault: { node: 'b', text: 'cannot <do>' } });
    expect(svg).toContain('>cannot &lt;do&gt;</text>');
    expect(linesOf(svg).at(-1)).toBe('6');
  });

  it('does not cut the text of a mark at its left edge', () => {
    const long = parseTrace('# nodes: a\na  start  s  ⇒ notify view(1, [a, b, c])\na  go  s');
    const { svg } = spaceTimeView(long, { from: 0, to: 2, height: 100, looks, mostLabels: 24 });
    const [, x, anchor] = /<text x="([-\d.]+)" y="[^"]*" text-anchor="(\w+)">view/.exec(svg) ?? [];
    expect([anchor, Number(x) > 0]).toEqual(['start', true]);
  });

  it('cuts no message at its right edge', () => {
    const sent = (['a', 'b', 'c'] as const).map((id, _, all) => {
      const others = all.filter((other) => other !== id).map((other) => `${other}: request(1)`);
      return `${id}  acquire  idle → busy  ⇒ ${others.join(', ')}`;
    });
    const pending = parseTrace(['# nodes: a b c', ...sent].join('\n'));
    const { svg, width } = spaceTimeView(pending, {
      ...{ from: 0, to: 3, height: 280, looks, mostLabels: 24 },
    });
    const labels = [...svg.matchAll(/translate\(([\d.]+) [\d.]+\) rotate\(([-\d.]+)\)/g)];
    const ends = labels.map(([, x, angle]) => {
      const half = textWidth('request(1)') / 2;
      return Number(x) + half * Math.cos((Number(angle) * Math.PI) / 180);
    });
    expect(ends).toHaveLength(6);
    expect(Math.max(...ends)).toBeLessThan(width - 4);
  });

  it('escapes what it writes', () => {
    const odd = parseTrace('# nodes: <a> b&c\n<a>  say("<i>")  s  ⇒ b&c: x("<>")');
    const { svg } = spaceTimeView(odd, { from: 0, to: 1, height: 200, looks, mostLabels: 24 });
    expect(svg.replace(/<\/?[a-z]+( [\w-]+(="[^"<>]*")?)*\/?>/g, '')).not.toMatch(/[<>]/);
    expect(svg).toContain('aria-label="x(&quot;&lt;&gt;&quot;) &lt;a&gt; → b&amp;c, on its way"');
  });
});
