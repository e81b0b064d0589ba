import { describe, expect, it } from 'vitest';
import { fixed, hasPart, partOf, replacePart, table } from './files.mjs';

const page = (middle) =>
  `# Lock\n\n<!-- generated: facts -->\n${middle}<!-- end of generated part -->\n\nThe end.\n`;

describe('replacePart', () => {
  it('replaces what is between the markers, and nothing else', () => {
    const replaced = replacePart(page('old\n'), 'facts', 'new\nlines\n');
    expect(replaced).toBe(page('\nnew\nlines\n\n'));
    expect(partOf(replaced, 'facts')).toBe('new\nlines');
    expect(replacePart(replaced, 'facts', partOf(replaced, 'facts'))).toBe(replaced);
  });

  it('replaces the part that is named, of several', () => {
    const two = `<!-- generated: run -->\n<!-- end of generated part -->\n${page('old\n')}`;
    expect(replacePart(two, 'run', 'a run')).toBe(
      `<!-- generated: run -->\n\na run\n\n<!-- end of generated part -->\n${page('old\n')}`,
    );
    expect(replacePart(two, 'facts', 'new')).toBe(
      `<!-- generated: run -->\n<!-- end of generated part -->\n${page('\nnew\n\n')}`,
    );
    expect([hasPart(two, 'run'), hasPart(two, 'runs')]).toEqual([true, false]);
  });

  it('keeps a replacement that looks like a pattern', () => {
    expect(replacePart(page(''), 'facts', "$& $1 $'")).toBe(page("\n$& $1 $'\n\n"));
  });

  it('says which marker is missing', () => {
    expect(() => replacePart('# Lock\n', 'facts', 'new')).toThrow(
      "The page has no line '<!-- generated: facts -->'. Put '<!-- generated: facts -->' and '<!-- end of generated part -->', each on a line",
    );
    const open = '<!-- generated: run -->\n';
    for (const behind of ['', page('')])
      expect(() => replacePart(open + behind, 'run', 'new')).toThrow(
        "The part that begins at line 1 has no line '<!-- end of generated part -->'. Put one behind it.",
      );
    expect(() => replacePart(`<!-- end of generated part -->\n${open}`, 'run', 'new')).toThrow(
      'begins at line 2',
    );
  });

  it('says where a marker stands twice', () => {
    expect(() => replacePart(`${page('')}${page('')}`, 'facts', 'new')).toThrow(
      "The page has the line '<!-- generated: facts -->' more than once (lines 3, 9). Leave one of them.",
    );
  });
});

describe('a table', () => {
  it('has a dash for what is not known, and says what it means', () => {
    const rows = [
      [fixed(1 / 3, 2), 0],
      [fixed(0 / 0, 2), -Infinity],
      [undefined, ''],
    ];
    expect(table(['a', 'b'], rows)).toBe(
      '| a | b |\n| --- | --- |\n| 0.33 | 0 |\n| – | – |\n| – | – |\n\n–: not explored, not measured, or not recorded.',
    );
    expect(table(['a'], [[1]])).toBe('| a |\n| --- |\n| 1 |');
  });
});
