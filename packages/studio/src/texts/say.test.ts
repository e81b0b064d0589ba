import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { counted, duration, numeral } from '../base/numbers.js';
import { german, grading } from './german.js';
import { language, say, sayAny, speak } from './say.js';

afterEach(() => speak(() => undefined));

describe('a text', () => {
  it('is said in English, with its values at their places', () => {
    expect([language(), say('Copy link')]).toEqual(['en', 'Copy link']);
    expect(say('Step {depth} of {last}', { depth: 1, last: 2 })).toBe('Step 1 of 2');
    expect([counted(1, 'step'), counted(2000, 'step')]).toEqual(['1 step', '2,000 steps']);
    expect(duration(1.25)).toBe('1.3 s');
  });

  it('is said in German, with the numbers of German', () => {
    speak(() => german);
    expect([language(), say('Copy link')]).toEqual(['de', 'Link kopieren']);
    expect(say('Cut off {nodes}', { nodes: '{nodes} $1' })).toBe('{nodes} $1 abtrennen');
    expect([counted(1, 'step'), counted(2000, 'step')]).toEqual(['1 Schritt', '2.000 Schritte']);
    expect([numeral(12345), duration(1.25)]).toEqual(['12.345', '1,3 s']);
  });

  it('of a reader stays as it is, whatever it is called', () => {
    speak(() => german);
    expect(['Two nodes meet.', 'constructor'].map(sayAny)).toEqual([
      'Two nodes meet.',
      'constructor',
    ]);
    expect(sayAny('Both have asked. Neither knows of the other.')).toMatch(/^Beide /);
  });
});

const sourcesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(?<!\.test|\.contract)\.tsx?$/.test(file) && !file.startsWith('texts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));

describe('the table', () => {
  const texts = Object.entries({ ...german, ...grading });
  const placesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();

  it('has the places of each text in both languages, and each text once', () => {
    for (const [english, text] of texts) expect(placesIn(text), english).toEqual(placesIn(english));
    expect(Object.keys(german).length + Object.keys(grading).length).toBe(texts.length);
    expect(texts.length).toBeGreaterThan(800);
  });

  it('has no text that nothing says', () => {
    const packages = join(import.meta.dirname, '..', '..', '..');
    const all = ['studio/src', 'cli/src/course', 'cli/src/commands', 'core/src/protocol']
      .flatMap((folder) => sourcesIn(join(packages, folder)))
      .join('\n');
    const data = ['central', 'permission', 'hybrid', 'delivered']; // of the catalogue and of core
    const plurals = [...all.matchAll(/counted\([^'"]*'(\w[\w ]*)'\)/g)].map(([, one]) => `${one}s`);
    const unsaid = texts.filter(([english]) => {
      const isKey = /^[a-z]\w*$/i.test(english) && new RegExp(`\\b${english}:`).test(all);
      return !isKey && !all.includes(`'${english}'`) && !all.includes(`"${english}"`);
    });
    expect(
      unsaid.map(([english]) => english).filter((text) => !plurals.concat(data).includes(text)),
    ).toEqual([]);
  });
});
