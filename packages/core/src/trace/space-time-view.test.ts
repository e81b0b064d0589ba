import { describe, expect, it } from 'vitest';
import { parseTrace } from './parse.js';
import { layOut, textWidth } from './space-time-layout.js';
import { spaceTimeView } from './space-time-view.js';

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
