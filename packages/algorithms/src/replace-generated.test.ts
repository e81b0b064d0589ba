import { specification } from '@conclave/core/chart';
import { describe, expect, it } from 'vitest';
import { lamport } from './mutual-exclusion/permission/lamport/protocol.js';
import { replaceGenerated } from './replace-generated.js';

const page = (middle: string) =>
  `# Lock\n\n<!-- generated: npm run generate -->\n${middle}<!-- end of generated part -->\n\nThe end.\n`;

describe('replaceGenerated', () => {
  it('replaces what is between the markers, and nothing else', () => {
    expect(replaceGenerated(page('old\n'), 'new\nlines\n')).toBe(page('\nnew\nlines\n\n'));
  });

  it('replaces the part that is named, of several', () => {
    const two = `<!-- generated: run -->\n<!-- end of generated part -->\n${page('old\n')}`;
    expect(replaceGenerated(two, 'a run', 'run')).toBe(
      `<!-- generated: run -->\n\na run\n\n<!-- end of generated part -->\n${page('old\n')}`,
    );
    expect(replaceGenerated(two, 'new')).toBe(
      `<!-- generated: run -->\n<!-- end of generated part -->\n${page('\nnew\n\n')}`,
    );
  });

  it('leaves a page that has not drifted as it is', () => {
    const fresh = replaceGenerated(page(''), specification(lamport));
    expect(replaceGenerated(fresh, specification(lamport))).toBe(fresh);
    expect(replaceGenerated(fresh.replace('A2', 'Z2'), specification(lamport))).toBe(fresh);
  });

  it('keeps a replacement that looks like a pattern', () => {
    expect(replaceGenerated(page(''), "$& $1 $'")).toBe(page("\n$& $1 $'\n\n"));
  });

  it('says which marker is missing', () => {
    expect(() => replaceGenerated('# Lock\n', 'new')).toThrow(
      "The page has no line '<!-- generated: npm run generate -->'. Put '<!-- generated: npm run generate -->' and '<!-- end of generated part -->', each on a line",
    );
    for (const behind of [
      '',
      '<!-- generated: npm run generate -->\n<!-- end of generated part -->\n',
    ])
      expect(() => replaceGenerated(`<!-- generated: run -->\n${behind}`, 'new', 'run')).toThrow(
        "The part that begins at line 1 has no line '<!-- end of generated part -->'. Put one behind it.",
      );
    expect(() =>
      replaceGenerated(`<!-- end of generated part -->\n<!-- generated: run -->\n`, 'new', 'run'),
    ).toThrow('begins at line 2');
  });

  it('says where a marker stands twice', () => {
    expect(() => replaceGenerated(`${page('')}${page('')}`, 'new')).toThrow(
      "The page has the line '<!-- generated: npm run generate -->' more than once (lines 3, 9). Leave one of them.",
    );
  });
});
